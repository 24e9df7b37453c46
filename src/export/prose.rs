//! Text as a part of a Markdown document.
//!
//! Must never let a text end what it stands in, or begin something that goes on behind it: a fence,
//! HTML, a heading of ours. Markdown in a message stays Markdown otherwise. All of it wants text that
//! is already safe.

/// One line that shows itself, whatever it holds.
pub(super) fn inline(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_{}[]<>#|!~&".contains(c) {
            shown.push('\\');
        }
        shown.push(c);
    }
    shown
}

/// The same within HTML.
pub(super) fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A block of code: its fence is longer than any within.
pub(super) fn fenced(code: &str, language: &str) -> String {
    let within = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(within + 1));
    format!("{fence}{language}\n{code}\n{fence}")
}

/// What somebody wrote, who may have known Markdown: its blocks of code get fences of ours, headings
/// go below ours, HTML shows itself, and pictures become links: nothing is fetched for being read.
pub(super) fn prose(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut lines = text.lines();
    let (mut after_text, mut after_code) = (false, false);
    while let Some(line) = lines.next() {
        let fence = Fence::opened_by(line);
        let prose = &line[..fence.as_ref().map_or(line.len(), |fence| fence.column)];
        let blank = prose.trim().is_empty();
        if after_code && !line.trim().is_empty() {
            parts.push(String::new());
        }
        if !blank || fence.is_none() {
            parts.push(line_of_prose(prose.trim_end(), after_text));
        }
        after_code = false;
        if let Some(fence) = fence {
            if after_text || !blank {
                parts.push(String::new());
            }
            let code = lines.by_ref().take_while(|line| !fence.closed_by(line));
            let code: Vec<&str> = code.map(|line| fence.dedented(line)).collect();
            parts.push(fenced(&code.join("\n"), fence.language));
            after_code = true;
        }
        after_text = !blank && !after_code;
    }
    parts.join("\n")
}

/// The beginning of a block of code.
struct Fence<'a> {
    mark: char,
    length: usize,
    /// How far it is indented, in bytes.
    column: usize,
    language: &'a str,
}

impl<'a> Fence<'a> {
    /// Also one behind the marks of lists and quotes.
    fn opened_by(line: &'a str) -> Option<Self> {
        let mut rest = line;
        loop {
            rest = rest.trim_start();
            let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let marks: &[char] = if number.len() < rest.len() {
                &['.', ')']
            } else {
                &['-', '*', '+']
            };
            let item = number.strip_prefix(marks);
            let item = item.filter(|item| item.starts_with([' ', '\t']));
            match rest.strip_prefix('>').or(item) {
                Some(inside) => rest = inside,
                None => break,
            }
        }
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        if length < 3 || mark == '`' && info.contains('`') {
            return None;
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.');
        let language = info.trim();
        let end = language.find(|c| !plain(c)).unwrap_or(language.len());
        Some(Self {
            mark,
            length,
            column: line.len() - rest.len(),
            language: &language[..end],
        })
    }

    fn closed_by(&self, line: &str) -> bool {
        let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }

    /// A line of the code without the indent that the fence has.
    fn dedented<'l>(&self, line: &'l str) -> &'l str {
        let indent = line.len() - line.trim_start_matches([' ', '>']).len();
        &line[indent.min(self.column)..]
    }
}

fn line_of_prose(line: &str, after_text: bool) -> String {
    let bare = line.trim();
    let only = |mark| !bare.is_empty() && bare.chars().all(|c| c == mark);
    if only('=') {
        return format!("\\{bare}");
    }
    if only('-') && after_text {
        return format!("\n{bare}");
    }
    let marks = bare.len() - bare.trim_start_matches('#').len();
    if (1..=6).contains(&marks) && bare[marks..].chars().next().is_none_or(char::is_whitespace) {
        let level = "#".repeat((marks + 2).min(6));
        return format!("{level}{}", spans(&bare[marks..]));
    }
    spans(line)
}

/// A line with its code in backticks as it is, and nothing else that would act.
fn spans(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let (taken, more) = rest.split_at(c.len_utf8());
        rest = more;
        match c {
            '\\' if rest.starts_with(|c: char| c.is_ascii_punctuation()) => {
                shown.push_str(taken);
                shown.push_str(&rest[..1]);
                rest = &rest[1..];
            }
            '`' => {
                let run = 1 + rest.len() - rest.trim_start_matches('`').len();
                let from = &rest[run - 1..];
                // In a table the cells would be told apart first, and then nothing be code.
                let fits =
                    |end: &usize| !from[..*end].contains('|') || !from[..*end].contains(['<', '[']);
                if let Some(end) = end_of_span(from, run).filter(fits) {
                    let ticks = "`".repeat(run);
                    shown.extend([&*ticks, &from[..end]]);
                    rest = &from[end..];
                } else {
                    // It would look for its end in the lines that follow.
                    shown.push_str(&"\\`".repeat(run));
                    rest = from;
                }
            }
            '<' => shown.push_str("&lt;"),
            '&' => shown.push_str("&amp;"),
            // A formula may have backticks in it, which then are none.
            '$' => shown.push_str("\\$"),
            '!' if rest.starts_with('[') => shown.push_str("\\!"),
            // A footnote would go elsewhere, with all that follows it.
            '[' if rest.starts_with('^') => shown.push_str("\\["),
            _ => shown.push_str(taken),
        }
    }
    shown
}

/// Where a span ends that was begun by so many backticks: behind as many.
fn end_of_span(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('`')?;
        let length = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += length;
        if length == run {
            return Some(at);
        }
    }
}
