//! When the processes of a pattern open and close their files: `false`, `true` or `"each-file"`.

use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a process opens and closes its files, as operations of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(from = "Written", into = "Written")]
pub enum OpenClose {
    /// They are open all the time.
    #[default]
    Never,
    /// All of them before the first access and after the last.
    Together,
    /// Each before its first access and after its last in every time through it, as a copy loop does.
    EachFile,
}

impl OpenClose {
    /// Whether files are opened and closed at all.
    pub fn happens(self) -> bool {
        self != Self::Never
    }

    pub(super) fn is_never(&self) -> bool {
        !self.happens()
    }
}

/// How it is written.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "true, false or \"each-file\"")]
enum Written {
    /// All of them together, or not at all.
    Whether(bool),
    /// Each by itself.
    Word(Word),
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Word {
    EachFile,
}

impl From<Written> for OpenClose {
    fn from(written: Written) -> Self {
        match written {
            Written::Whether(false) => Self::Never,
            Written::Whether(true) => Self::Together,
            Written::Word(Word::EachFile) => Self::EachFile,
        }
    }
}

impl From<OpenClose> for Written {
    fn from(when: OpenClose) -> Self {
        match when {
            OpenClose::Never => Self::Whether(false),
            OpenClose::Together => Self::Whether(true),
            OpenClose::EachFile => Self::Word(Word::EachFile),
        }
    }
}
