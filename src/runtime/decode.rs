//! Bytes from the terminal, as events.
//!
//! Invariant: a sequence that is not understood is passed over up to its end; its tail is never
//! taken for keys. (A terminal's late answer to a question that an agent asked may end in any letter.)

use std::panic::catch_unwind;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use terminput_crossterm::to_crossterm;

use crate::app::msg::Msg;

const ESC: u8 = 0x1b;
const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// The longest paste, in bytes; a longer one is dropped whole rather than cut.
const PASTE_MAX: usize = 1 << 20;

/// What the bytes so far belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// An event, of which the first bytes may have come.
    #[default]
    Event,
    /// A control sequence that is not understood: over with its final byte.
    Control,
    /// A string (OSC, DCS, APC, PM) that a terminal sends as an answer: over with BEL or ST.
    Text,
    /// A paste that is too long.
    LongPaste,
}

/// Decodes one byte after the other.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    part: Part,
}

impl Decoder {
    /// Takes the next byte; tells the event that it completes.
    pub(super) fn push(&mut self, byte: u8) -> Option<Msg> {
        self.bytes.push(byte);
        match self.part {
            Part::Event => return self.event(),
            Part::Control if is_final(byte) => self.clear(),
            Part::Text if byte == 7 || self.bytes.ends_with(b"\x1b\\") => self.clear(),
            Part::LongPaste if self.bytes.ends_with(PASTE_END) => self.clear(),
            // Only the end matters of what is passed over.
            _ if self.bytes.len() > 64 => drop(self.bytes.drain(..32)),
            _ => {}
        }
        None
    }

    /// How long to wait for the rest of what has begun; `None`: nothing has.
    pub(super) fn patience(&self) -> Option<Duration> {
        let millis = match (self.part, self.bytes.as_slice()) {
            (Part::Event, []) => return None,
            // Most likely the key itself: a person notices more than this.
            (Part::Event, [ESC] | [ESC, _]) => 30,
            (Part::Event, bytes) if bytes.starts_with(PASTE) => 2_000,
            _ => 500,
        };
        Some(Duration::from_millis(millis))
    }

    /// The rest has not come: what was typed is the key that the bytes are by themselves, if any.
    pub(super) fn give_up(&mut self) -> Option<Msg> {
        let key = match (self.part, self.bytes.as_slice()) {
            (Part::Event, [ESC]) => Some(KeyEvent::from(KeyCode::Esc)),
            (Part::Event, [ESC, byte]) if byte.is_ascii_graphic() => Some(KeyEvent::new(
                KeyCode::Char(char::from(*byte)),
                KeyModifiers::ALT,
            )),
            _ => None,
        };
        self.clear();
        key.map(Msg::Key)
    }

    /// Forgets what has begun.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn event(&mut self) -> Option<Msg> {
        match self.bytes.as_slice() {
            // More may follow; what if not, see `give_up`.
            [ESC] | [ESC, b']' | b'P' | b'_' | b'^'] => return None,
            [ESC, ESC] => {
                self.bytes.pop();
                return Some(Msg::Key(KeyCode::Esc.into()));
            }
            [ESC, b']' | b'P' | b'_' | b'^', ..] => {
                self.part = Part::Text;
                return None;
            }
            bytes if bytes.len() > PASTE_MAX => {
                self.part = Part::LongPaste;
                return None;
            }
            _ => {}
        }
        // A bug there must not leave the screen without a keyboard.
        match catch_unwind(|| terminput::Event::parse_from(&self.bytes)) {
            Ok(Ok(None)) => None,
            Ok(Ok(Some(event))) => {
                self.clear();
                message(event)
            }
            Ok(Err(_)) | Err(_) => {
                self.skip();
                None
            }
        }
    }

    /// Passes over what is not understood.
    fn skip(&mut self) {
        match self.bytes.as_slice() {
            [ESC, b'[', rest @ ..] if !rest.last().is_some_and(|byte| is_final(*byte)) => {
                self.part = Part::Control;
            }
            _ => self.clear(),
        }
    }
}

/// Whether a byte ends a control sequence.
fn is_final(byte: u8) -> bool {
    (0x40..=0x7e).contains(&byte)
}

fn message(event: terminput::Event) -> Option<Msg> {
    match to_crossterm(event).ok()? {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Msg::Key(key)),
        Event::Mouse(mouse) => Some(Msg::Mouse(mouse)),
        Event::Paste(text) => Some(Msg::Paste(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What bytes come to, each event in short; at the end nothing more comes.
    fn decode(bytes: &[u8]) -> Vec<String> {
        let mut decoder = Decoder::default();
        let mut seen: Vec<Msg> = bytes.iter().filter_map(|b| decoder.push(*b)).collect();
        if decoder.patience().is_some() {
            seen.extend(decoder.give_up());
        }
        assert_eq!(decoder.patience(), None);
        let short = |msg| match msg {
            Msg::Key(key) if key.modifiers.is_empty() => format!("{}", key.code),
            Msg::Key(key) => format!("{}+{}", key.modifiers, key.code),
            Msg::Paste(text) => format!("paste {text:?}"),
            Msg::Mouse(mouse) => format!("{:?} {},{}", mouse.kind, mouse.column, mouse.row),
            other => format!("{other:?}"),
        };
        seen.into_iter().map(short).collect()
    }

    #[test]
    fn keys_mice_and_pastes_are_told() {
        let table: &[(&[u8], &[&str])] = &[
            (b"jk", &["j", "k"]),
            ("é日".as_bytes(), &["é", "日"]),
            (b"\r\t\x7f", &["Enter", "Tab", "Backspace"]),
            (
                b"\x03\x04\x15\x1a",
                &["Control+c", "Control+d", "Control+u", "Control+z"],
            ),
            (
                b"\x1b[A\x1bOB\x1b[5~\x1b[1;5C",
                &["Up", "Down", "Page Up", "Control+Right"],
            ),
            (b"\x1b", &["Esc"]),
            (b"\x1b\x1b", &["Esc", "Esc"]),
            (b"\x1b\x1b[A", &["Esc", "Up"]),
            (b"\x1bx", &["Alt+x"]),
            (b"\x1b[", &["Alt+["]),
            (b"\x1b]", &["Alt+]"]),
            (b"\x1b[200~a\nb\x1b[201~c", &["paste \"a\\nb\"", "c"]),
            (b"\x1b[<0;3;4M", &["Down(Left) 2,3"]),
        ];
        for (bytes, events) in table {
            assert_eq!(
                decode(bytes),
                *events,
                "{:?}",
                bytes.escape_ascii().to_string()
            );
        }
    }

    #[test]
    fn what_is_not_understood_never_becomes_keys() {
        let table: &[&[u8]] = &[
            b"\x1b[>0;276;0c",
            b"\x1b[?62;4c",
            b"\x1b[?1u",
            b"\x1b]11;rgb:dddd/cccc/ffff\x07",
            b"\x1b]11;rgb:dddd/cccc/ffff\x1b\\",
            b"\x1bP>|dyc(1.2)\x1b\\",
            b"\x1b[=99;5y",
            b"\x1b[12;",
            b"\x1b[200~cut off",
            b"\x1b[I\x1b[O",
        ];
        for bytes in table {
            assert!(
                decode(bytes).is_empty(),
                "{:?}",
                bytes.escape_ascii().to_string()
            );
        }
        let long = [PASTE, &vec![b'd'; PASTE_MAX + 9], PASTE_END, b"j"].concat();
        assert_eq!(decode(&long), ["j"]);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_are_too_odd(bytes in proptest::collection::vec(odd_byte(), 0..40)) {
            decode(&bytes);
        }
    }

    /// Bytes that sequences are made of, more often than others.
    fn odd_byte() -> impl proptest::strategy::Strategy<Value = u8> {
        let common = b"\x1b\x1b\x1b[[[<<>?OM;;;:~uRIZ01259\x07\\".as_slice();
        proptest::prop_oneof![
            proptest::sample::select(common),
            proptest::arbitrary::any::<u8>()
        ]
    }
}
