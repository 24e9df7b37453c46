use std::io::Write as _;

use super::*;

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// A line of JSON of so many bytes.
fn line(number: usize, length: usize) -> String {
    let start = format!("{{\"n\":{number},\"x\":\"");
    let filler = length.saturating_sub(start.len() + 2);
    format!("{start}{}\"}}", "x".repeat(filler))
}

/// Lines of many lengths, at the limits too. `true`: short enough to be read.
fn many() -> (Vec<u8>, Vec<(u64, String, bool)>) {
    let max = usize::try_from(LINE_MAX).unwrap();
    let part = usize::try_from(PART).unwrap();
    let mut lengths = vec![max + 1, 40, max, max + 1, part - 1, part, part + 1, 3 * max];
    lengths.extend((0..400).map(|n| 20 + n * n % 7919));
    lengths.extend([max, max + 70_000, max + 1, 30]);
    let (mut bytes, mut lines) = (Vec::new(), Vec::new());
    for (number, length) in lengths.into_iter().enumerate() {
        let text = line(number, length);
        let readable = text.len() <= max;
        lines.push((bytes.len() as u64, text.clone(), readable));
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
    }
    (bytes, lines)
}

fn owned(part: &Part) -> Vec<(u64, String)> {
    let lines = part.lines().into_iter();
    lines
        .map(|line| (line.offset, String::from_utf8(line.bytes.to_vec()).unwrap()))
        .collect()
}

fn readable(lines: &[(u64, String, bool)]) -> Vec<(u64, String)> {
    let lines = lines.iter().filter(|(_, _, readable)| *readable);
    lines
        .map(|(offset, text, _)| (*offset, text.clone()))
        .collect()
}

#[test]
fn parts_from_either_end_hold_every_line_once() {
    let (bytes, all) = many();
    let file = file(&bytes);
    let lines = Lines::of(&file).unwrap();
    assert_eq!(lines.size(), bytes.len() as u64);
    let too_long = all
        .iter()
        .filter(|(_, _, readable)| !readable)
        .map(|(offset, ..)| *offset);
    let too_long: Vec<u64> = too_long.collect();

    let (mut told, mut skipped, mut end) = (Vec::new(), Vec::new(), lines.size());
    while end > 0 {
        let part = lines.before(end).unwrap();
        assert_eq!(part.end, end);
        assert!(part.start < end);
        assert!(part.bytes().len() as u64 <= LINE_MAX + 1);
        told.splice(0..0, owned(&part));
        skipped.splice(0..0, part.too_long.clone());
        end = part.start;
    }
    assert_eq!(told, readable(&all));
    assert_eq!(skipped, too_long);

    let (mut told, mut skipped, mut start) = (Vec::new(), Vec::new(), 0);
    while start < lines.size() {
        let part = lines.from(start).unwrap();
        assert_eq!(part.start, start);
        assert!(part.end > start);
        told.extend(owned(&part));
        skipped.extend(part.too_long.clone());
        start = part.end;
    }
    assert_eq!(told, readable(&all));
    assert_eq!(skipped, too_long);
}

#[test]
fn offsets_inside_a_line_leave_it_out() {
    let file = file(b"{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
    let lines = Lines::of(&file).unwrap();
    let before = lines.before(10).unwrap();
    assert_eq!(owned(&before), [(0, "{\"a\":1}".to_owned())]);
    assert_eq!((before.start, before.end), (0, 8));
    let from = lines.from(10).unwrap();
    assert_eq!(owned(&from), [(16, "{\"c\":3}".to_owned())]);
    assert_eq!((from.start, from.end), (16, 24));
    assert_eq!(owned(&lines.before(99).unwrap()).len(), 3);
    let nothing = lines.from(24).unwrap();
    assert_eq!((nothing.start, nothing.end), (24, 24));
    assert!(nothing.lines().is_empty());
}

#[test]
fn a_torn_last_line_counts_for_nothing() {
    for (bytes, size, count) in [
        ("", 0, 0),
        ("{\"a\":1}\n{\"b\":", 8, 1),
        ("{\"a\":1}\n{\"b\":2}", 15, 2),
        ("{\"a\":", 0, 0),
        ("{}\n\n \n", 6, 1),
    ] {
        let file = file(bytes.as_bytes());
        let lines = Lines::of(&file).unwrap();
        assert_eq!(lines.size(), size, "{bytes:?}");
        assert_eq!(lines.before(u64::MAX).unwrap().lines().len(), count);
        assert_eq!(lines.from(0).unwrap().lines().len(), count);
    }
    let mut endless = b"{}\n".to_vec();
    endless.resize(3 << 20, b'x');
    let file = file(&endless);
    let lines = Lines::of(&file).unwrap();
    assert_eq!(lines.size(), 3);
    assert!(lines.before(3).unwrap().too_long.is_empty());
}

/// A file without a line's end in it must not be read whole.
#[test]
fn the_reach_is_bounded() {
    let file = file(b"{}\n");
    let size = 4 * REACH;
    file.set_len(size).unwrap();
    file.write_all_at(b"\n{}\n", size - 4).unwrap();
    let lines = Lines::of(&file).unwrap();
    let tail = lines.before(size).unwrap();
    assert_eq!((tail.lines().len(), tail.start), (1, size - 3));
    let long = lines.before(tail.start).unwrap();
    assert_eq!((long.lines().len(), long.too_long.len()), (0, 1));
    assert!(tail.start - long.start <= REACH + 1 && long.start > 0);
    let mut end = long.start;
    let mut rounds = 0;
    while end > 0 {
        end = lines.before(end).unwrap().start;
        rounds += 1;
    }
    assert!(rounds <= 8);
    let mut start = 0;
    while start < size {
        let next = lines.from(start).unwrap().end;
        assert!(next > start && next - start <= REACH + 1);
        start = next;
    }
}

#[test]
fn a_file_that_became_shorter_is_an_error() {
    let file = file(b"{}\n{}\n");
    let lines = Lines::of(&file).unwrap();
    file.set_len(2).unwrap();
    assert!(lines.before(6).is_err());
}
