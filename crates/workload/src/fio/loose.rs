//! Command lines in what is no script: behind a prompt (`# fio …`), quoted in a mail (`> fio …`), in a text's line, or as a list of
//! words (`["fio", "--name=a"]`, and YAML's, a word a line).

/// The pieces of a text that may be command lines, with their lines, from 1.
pub(super) fn loose(text: &str) -> Vec<(u32, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        if let Some((piece, more)) = listed(&lines[index..]).or_else(|| written(&lines[index..])) {
            found.push((number, piece));
            index += more;
        }
        index += 1;
    }
    found
}

/// A list of words goes over no more lines.
const LINES_MAX: usize = 256;

/// A line without what marks it as quoted, listed or typed.
fn bare(line: &str) -> &str {
    line.trim_start_matches(|first: char| {
        first.is_whitespace() || matches!(first, '>' | '#' | '$' | '*' | '|')
    })
}

/// Where a line calls fio: behind the word an option.
fn place(line: &str) -> Option<usize> {
    line.match_indices("fio").map(|(at, _)| at).find(|&at| {
        let before = line[..at].chars().next_back();
        let is_word =
            before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '_' | '-' | '.' | '='));
        let behind = line[at + 3..].strip_prefix(".exe").unwrap_or(&line[at + 3..]);
        is_word && behind.starts_with(char::is_whitespace) && behind.trim_start().starts_with('-')
    })
}

/// A command line from the middle of a line to its end, with the lines that go on with it, and how many these are.
fn written(lines: &[&str]) -> Option<(String, usize)> {
    let first = lines.first()?;
    let at = place(first)?;
    let speaks = |word: &str| super::command_line::SPEAKING.contains(&word);
    if bare(first).split_whitespace().next().is_some_and(speaks) {
        return None;
    }
    let mut piece = first[at..].to_owned();
    // Where the command stands in quotation marks, they end it.
    let opened = first[..at].chars().rev().find(|letter| matches!(letter, '"' | '\'' | '`'));
    let mut more = 0;
    loop {
        let ended = opened.and_then(|mark| piece.find(mark));
        if let Some(end) = ended.filter(|&end| !piece[..end].ends_with('=')) {
            piece.truncate(end);
            return Some((piece, more));
        }
        let Some(next) = lines.get(more + 1).map(|line| bare(line)) else { break };
        let goes_on = piece.trim_end().ends_with('\\')
            || next.starts_with("--")
            || next.starts_with('-') && next[1..].contains('=');
        if !goes_on {
            break;
        }
        piece = piece.trim_end().trim_end_matches('\\').to_owned();
        piece.push(' ');
        piece.push_str(next);
        more += 1;
    }
    Some((piece, more))
}

/// A list of words, on one line or several.
fn listed(lines: &[&str]) -> Option<(String, usize)> {
    let first = lines.first()?;
    let item = |line: &str| {
        let own = line.trim().strip_prefix("- ")?.trim();
        Some(own.trim_matches(['"', '\'']).to_owned())
    };
    if item(first).is_some_and(|own| own == "fio" || own.ends_with("/fio")) {
        let words: Vec<String> = lines.iter().map_while(|line| item(line)).collect();
        let quoted: Vec<String> = words.iter().map(|word| word.replace(' ', "\\ ")).collect();
        return Some((quoted.join(" "), words.len().saturating_sub(1)));
    }
    let at = ["\"fio\"", "'fio'"].iter().find_map(|word| first.find(word))?;
    let mark = first[at..].chars().next()?;
    let mut words = Vec::new();
    for (more, line) in lines.iter().take(LINES_MAX).enumerate() {
        let own = if more == 0 { &line[at..] } else { line };
        let own = own.split(']').next().unwrap_or_default();
        words.extend(own.split(mark).skip(1).step_by(2).map(|word| word.replace(' ', "\\ ")));
        if line[if more == 0 { at } else { 0 }..].contains(']') {
            return Some((words.join(" "), more));
        }
    }
    None
}
