//! The secret in the studio's address: who doesn't have it is nobody.

use subtle::ConstantTimeEq;

/// Random bytes of a token: too many to guess.
const BYTES: usize = 24;

/// A secret that is made anew with every start.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// A token of the system's own randomness; nothing else would be secret.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// As it stands in the address.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether somebody has it, in a time that doesn't tell how much of it he has.
    pub(crate) fn is(&self, offered: &str) -> bool {
        self.0.as_bytes().ct_eq(offered.as_bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_token_knows_itself_and_no_other() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.as_str().len(), 2 * BYTES);
        assert!(one.is(one.as_str()));
        assert!(!one.is(other.as_str()));
        assert!(!one.is(&one.as_str()[1..]));
        assert!(!one.is(""));
    }
}
