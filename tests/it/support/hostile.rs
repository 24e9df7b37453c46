//! Text that wants to act on a terminal, and a store full of it.

use chrono::{DateTime, Utc};

use super::{TestStore, make_folder, rfc3339, write_file};

/// What is in the quotes of a JSON string, as bytes: escapes as in JSON, and what no JSON may hold.
/// `END` stands behind what must not be swallowed with what is before it.
pub(crate) fn texts() -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = [
        // Control sequences.
        r"a\u001b[31mred\u001b[0m END",
        r"a\u001b[2J\u001b[1;1H\u001b[?1049h\u001b[6n END",
        r"a\u001b[38:2:1:2:3m\u001b[>c\u001b[!p\u001b[1 q END",
        r"a\u009b2J\u009b6n END",
        // Strings: titles, links, the clipboard, devices.
        r"a\u001b]0;title\u0007 END",
        r"a\u001b]2;title\u001b\\ END",
        r"a\u001b]8;;http://evil.test\u001b\\link\u001b]8;;\u001b\\ END",
        r"a\u001b]52;c;ZXZpbA==\u0007 END",
        r"a\u001b]1337;File=:ZXZpbA==\u0007 END",
        r"a\u001bP1$r0m\u001b\\ END",
        r"a\u001bPtmux;\u001b\u001b]0;t\u0007\u001b\\ END",
        r"a\u001b_apc\u001b\\ END",
        r"a\u001b^pm\u001b\\ END",
        r"a\u001bXsos\u001b\\ END",
        r"a\u009d0;t\u009c\u0090q\u009c\u009fx\u009c\u009ey\u009c\u0098z\u009c END",
        // Without an end, within one another, in halves.
        r"a\u001b]0;open",
        r"a\u001b[31",
        r"a\u001bPopen",
        r"a\u009dopen",
        r"END a\u001b",
        r"a\u001b[3\u001b[1m1m END",
        r"a\u001b]0;\u001b[2J\u001b\\ END",
        r"a\u001b\u001b[2J END",
        r"a\u001b\u0000[2J END",
        r"a\u001b[\u00002J END",
        r"a\u001bc\u001b7\u001b8\u001b#8\u001b(0\u001b=\u001bN END",
        // What moves, rings or ends.
        r"a\u0007\u0008\u0000\u007f END",
        r"a\rb\u000bc\u000cd\u000e\u000f END",
        r"a\nb\r\nc\td\u0085e\u2028f\u2029g END",
        r"\t\t\tEND",
        r"a\u0004\u0011\u0013\u0018\u001a END",
        // What turns or hides text.
        r"user\u202egpj.exe\u202c END",
        r"a\u2066b\u2067c\u2068d\u2069e\u061cf\u200eg\u200fh END",
        r"a\udb40\udc45\udb40\udc56\udb40\udc49\udb40\udc4c\udb40\udc7f END",
        r"a\u200b\u200c\u2060\ufeff\u00ad\u034f\u115f\u3164\uffa0 END",
        r"\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66 END",
        r"\ud83d\udc69\u200d END \u200d\ufe0f",
        r"1\ufe0f\u20e3 \u2764\ufe0f \ud83c\udff3\ufe0f\u200d\ud83c\udf08 END",
        // Half of a character.
        r"a\ud800 END",
        r"a\udc00\ud800 END",
        r"a\ud83d",
        r"a\uffff\ufdd0\ufffe END",
        // Wide.
        "日本語のタイトルはとても長いので切られる必要があるはずです END",
        "👩🏽‍💻👨‍👩‍👧‍👦🇩🇪🏴󠁧󠁢󠁳󠁣󠁴󠁿 END",
        "שלום עולם مرحبا END",
        "한국어 हिन्दी क्षत्रिय ไทย END",
        "ｆｕｌｌ　ｗｉｄｔｈ END",
        "\u{2800}\u{2800}\u{a0}\u{3000} END",
        "",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into();
    let marks = "\u{301}".repeat(200);
    texts.push(format!("{marks} e{marks} END").into_bytes());
    texts.push("\u{1f469}\u{200d}".repeat(60).into_bytes());
    texts.push("日".repeat(3000).into_bytes());
    // Bytes that are no text, and controls as they are, which no JSON may hold.
    texts.push(b"a\xff\xfe\xc3(\xe2\x82 END".to_vec());
    texts.push(b"a\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf END".to_vec());
    texts.push(b"a\xc2\x9b2J\xe2\x80\xae\xef\xbb\xbf END".to_vec());
    texts.push(b"a\x1b[2J\x07 END".to_vec());
    texts.push(b"a\x9b2J END".to_vec());
    texts
}

/// A store with a session for each of the texts, which is in every field of it; the ids.
pub(crate) fn store(at: DateTime<Utc>) -> (TestStore, Vec<String>) {
    let store = TestStore::new();
    let mut ids = Vec::new();
    for (number, text) in texts().iter().enumerate() {
        let id = format!("s{number:02}");
        let folder = store.path(&id);
        make_folder(&folder);
        let fill = |template: &str| -> Vec<u8> {
            let template = template.replace("ID", &id).replace("AT", &rfc3339(at));
            let parts: Vec<&[u8]> = template.split("@@").map(str::as_bytes).collect();
            parts.join(&text[..])
        };
        write_file(
            &folder.join("metadata.json"),
            &fill(
                r#"{"sessionId":"ID","title":"@@","cwd":"/src/@@","modelId":"@@","agentName":"@@",
                "tag":"@@","sessionKind":"@@","createdAt":"AT","updatedAt":"AT","eventCount":4}"#,
            ),
        );
        let events = [
            ("message", r#"{"role":"user","content":"@@"}"#),
            ("message", r#"{"role":"@@","content":"@@"}"#),
            ("tool_call", r#"{"name":"@@","arguments":"@@"}"#),
            ("tool_call", r#"{"name":"x","arguments":{"a":"@@"}}"#),
            (
                "tool_result",
                r#"{"name":"@@","status":"@@","output":"@@","changedFiles":["@@"]}"#,
            ),
            ("error", r#"{"message":"@@"}"#),
            (
                "session_child",
                r#"{"agentName":"@@","childSessionId":"@@"}"#,
            ),
            ("@@", r#"{"x":"@@"}"#),
        ];
        let mut log = Vec::new();
        for (sequence, (kind, payload)) in (1..).zip(events) {
            let event = format!(
                r#"{{"id":"ID:{sequence}","sessionId":"ID","sequence":{sequence},"type":"{kind}","createdAt":"AT","payload":{payload}}}"#
            );
            log.extend(fill(&event));
            log.push(b'\n');
        }
        write_file(&folder.join("events.jsonl"), &log);
        write_file(&folder.join("session.lock"), b"");
        write_file(&folder.join("lease.lock"), b"");
        ids.push(id);
    }
    (store, ids)
}

/// What is wrong with a text that is shown: a control but a line's break, or what turns or hides text.
pub(crate) fn active(text: &str) -> Option<char> {
    let mut before = ' ';
    text.chars().find(|&c| {
        let joined = c == '\u{200d}' || c == '\u{fe0f}' || c == '\u{fe0e}';
        let wrong = match c {
            '\n' => false,
            // In an emoji they may be.
            _ if joined => before.is_ascii_alphabetic() || before == ' ' || before == '\n',
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{3164}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{e0000}'..='\u{e0fff}' => true,
            c => c.is_control(),
        };
        before = c;
        wrong
    })
}
