//! A page as data: a heading, blocks one below the other, a foot. The words in it are plain text; what they look like is said by what they
//! are, and [`Page::html`] is the one place that makes HTML of them.

use crate::figure::Figure;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Span {
    /// As the text around it.
    Plain(String),
    /// What counts.
    Strong(String),
    /// What is said by the way.
    Quiet(String),
    /// What is typed.
    Code(String),
    /// The next line.
    Break,
    /// The colour of a series, by its number, as in a key.
    Swatch(usize),
    /// A part of one, as a small bar; the number stands beside it.
    Meter(f64),
    /// What is better, or worse.
    Better(String),
    /// What is worse.
    Worse(String),
}

/// A line of text, or a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text(pub Vec<Span>);

impl Text {
    /// The text with a plain piece more.
    #[must_use]
    pub fn plain(self, words: impl Into<String>) -> Self {
        self.and(Span::Plain(words.into()))
    }

    /// The text with a piece more that counts.
    #[must_use]
    pub fn strong(self, words: impl Into<String>) -> Self {
        self.and(Span::Strong(words.into()))
    }

    /// The text with a piece more that is said by the way.
    #[must_use]
    pub fn quiet(self, words: impl Into<String>) -> Self {
        self.and(Span::Quiet(words.into()))
    }

    /// The text with a piece more.
    #[must_use]
    pub fn and(mut self, span: Span) -> Self {
        self.0.push(span);
        self
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(words: T) -> Self {
        Self(vec![Span::Plain(words.into())])
    }
}

/// A table; the first column holds names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Heads of the columns.
    pub heads: Vec<String>,
    /// Rows, each of as many cells.
    pub rows: Vec<Vec<Text>>,
    /// Columns of words, the first one included: they begin at the left.
    pub words: usize,
}

impl Table {
    /// A table without rows.
    pub fn new<T: Into<String>>(heads: impl IntoIterator<Item = T>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new(), words: 1 }
    }

    /// The same, with as many columns of words.
    #[must_use]
    pub fn with_words(self, words: usize) -> Self {
        Self { words, ..self }
    }

    /// The same, with these rows more.
    #[must_use]
    pub fn with<T: Into<Text>>(mut self, rows: impl IntoIterator<Item = Vec<T>>) -> Self {
        self.rows.extend(rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()));
        self
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Text>) {
        self.rows.push(row);
    }
}

/// A figure of a summary: a number with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// What it is.
    pub name: String,
    /// The number.
    pub figure: String,
    /// Its unit, and what else stands small beside it.
    pub unit: String,
}

/// What stands on a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The heading of a section, which ends at the next one of its level.
    Heading(String),
    /// A heading within a section.
    Subheading(String),
    /// A paragraph.
    Paragraph(Text),
    /// A remark.
    Note(Text),
    /// What a reader must see.
    Lead(Text),
    /// What a reader must check before believing the page.
    Warning(String),
    /// The numbers of a summary.
    Tiles(Vec<Tile>),
    /// Figures, side by side where there is room.
    Figures(Vec<Figure>),
    /// Figures as wide as the page.
    WideFigures(Vec<Figure>),
    /// A table.
    Table(Table),
    /// A table that is opened by its summary.
    Folded(String, Table),
    /// Text to copy, as it is.
    Text(String),
    /// What names mean.
    Definitions(Vec<(String, Text)>),
    /// A list.
    List(Vec<Text>),
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The title of the file, in a browser's tab.
    pub title: String,
    /// The heading.
    pub heading: String,
    /// What stands below the heading.
    pub below: Vec<Text>,
    /// The content.
    pub blocks: Vec<Block>,
    /// What stands at the foot.
    pub foot: String,
}

impl Page {
    /// A page with nothing but a title, which is its heading, too.
    pub fn new(title: impl Into<String>) -> Self {
        let title = title.into();
        Self { heading: title.clone(), title, ..Self::default() }
    }

    /// Adds a heading.
    pub fn heading(&mut self, words: impl Into<String>) {
        self.blocks.push(Block::Heading(words.into()));
    }

    /// Adds a heading within a section.
    pub fn subheading(&mut self, words: impl Into<String>) {
        self.blocks.push(Block::Subheading(words.into()));
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, words: impl Into<Text>) {
        self.blocks.push(Block::Paragraph(words.into()));
    }

    /// Adds a remark.
    pub fn note(&mut self, words: impl Into<Text>) {
        self.blocks.push(Block::Note(words.into()));
    }

    /// Adds what a reader must see.
    pub fn lead(&mut self, words: impl Into<Text>) {
        self.blocks.push(Block::Lead(words.into()));
    }

    /// Adds warnings.
    pub fn warnings<T: Into<String>>(&mut self, warnings: impl IntoIterator<Item = T>) {
        self.blocks.extend(warnings.into_iter().map(|words| Block::Warning(words.into())));
    }

    /// Adds the numbers of a summary: each with its name, and `4.31 ms` in one.
    pub fn tiles(&mut self, tiles: impl IntoIterator<Item = (String, String)>) {
        let tile = |(name, figure): (String, String)| {
            let (figure, unit) = figure.split_once(' ').unwrap_or((&figure, ""));
            Tile { name, figure: figure.to_owned(), unit: unit.to_owned() }
        };
        self.blocks.push(Block::Tiles(tiles.into_iter().map(tile).collect()));
    }

    /// Adds those of the figures that show something.
    pub fn figures(&mut self, figures: impl IntoIterator<Item = Figure>) {
        let figures: Vec<Figure> = figures.into_iter().filter(|figure| !figure.is_empty()).collect();
        if !figures.is_empty() {
            self.blocks.push(Block::Figures(figures));
        }
    }

    /// Adds figures that are as wide as the page.
    pub fn wide_figures(&mut self, figures: impl IntoIterator<Item = Figure>) {
        let figures: Vec<Figure> = figures.into_iter().filter(|figure| !figure.is_empty()).collect();
        if !figures.is_empty() {
            self.blocks.push(Block::WideFigures(figures));
        }
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }
}
