//! Tables on the terminal: words to the left, figures to the right.

/// Lays out rows under headings.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .chain([headings[column].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    // A column is set to the right if every cell in it looks like a figure.
    let is_figure = |cell: &String| {
        cell.is_empty() || cell == "–" || cell.starts_with(|c: char| c.is_ascii_digit() || "+-−<".contains(c))
    };
    let right: Vec<bool> = (0..headings.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).all(is_figure))
        .collect();
    let line = |cells: Vec<&str>| {
        let cells: Vec<String> = cells
            .iter()
            .enumerate()
            .map(|(column, cell)| {
                let pad = " ".repeat(widths[column] - cell.chars().count());
                if right[column] { format!("{pad}{cell}") } else { format!("{cell}{pad}") }
            })
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    let mut text = line(headings.to_vec());
    for row in rows {
        text.push_str(&line(row.iter().map(String::as_str).collect()));
    }
    text
}
