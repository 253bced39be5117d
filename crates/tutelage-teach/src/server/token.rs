//! The secret in a server's address.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A secret that only whoever started the server knows: 128 bits, as hexadecimal digits.
#[derive(Clone)]
pub struct Token(String);

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The operating system gives no randomness.
    #[error("the operating system gives no random numbers: {0}")]
    Random(getrandom::Error),
    /// The file cannot be read or made.
    #[error("cannot use {path} for the token: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds something else.
    #[error(
        "{path} holds no token: 32 hexadecimal digits are expected; remove it to have a new one made"
    )]
    NoToken {
        /// The file.
        path: PathBuf,
    },
}

const DIGITS: usize = 32;

impl Token {
    /// A new one.
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0; DIGITS / 2];
        getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The one kept in a file, which is made where it is missing: the address stays the same from one start to the next.
    pub fn kept_in(path: &Path) -> Result<Self, TokenError> {
        let failed = |source| TokenError::Io { path: path.into(), source };
        let kept = match tutelage_files::read_text(path) {
            // A start that was interrupted left it so.
            Ok(text) if text.is_empty() => fs::remove_file(path).map(|()| None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        };
        match kept.map_err(failed)? {
            Some(text) => {
                let digits = text.trim();
                let is_token =
                    digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit());
                is_token
                    .then(|| Self(digits.to_lowercase()))
                    .ok_or_else(|| TokenError::NoToken { path: path.into() })
            }
            None => {
                let token = Self::random()?;
                let mut file = private(path).map_err(failed)?;
                writeln!(file, "{}", token.0).map_err(failed)?;
                Ok(token)
            }
        }
    }

    /// The one that everybody knows.
    pub(super) fn zero() -> Self {
        Self("0".repeat(DIGITS))
    }

    pub(crate) fn digits(&self) -> &str {
        &self.0
    }

    /// Whether this is it; takes as long for a near miss as for any other.
    pub(crate) fn is(&self, other: &str) -> bool {
        let difference = |(a, b): (u8, u8)| a ^ b;
        let differences = self.0.bytes().zip(other.bytes()).map(difference);
        differences.fold(0, |all, one| all | one) == 0 && self.0.len() == other.len()
    }
}

/// A new file that nobody else can read.
fn private(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_recognised_whole() {
        let [a, b] = [Token::random().unwrap(), Token::random().unwrap()];
        assert_eq!(a.digits().len(), DIGITS);
        assert!(a.is(a.digits()) && !a.is(b.digits()));
        assert!(!a.is("") && !a.is(&a.digits()[1..]) && !a.is(&format!("{}0", a.digits())));
    }

    #[test]
    fn a_kept_token_is_private_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        let first = Token::kept_in(&path).unwrap();
        assert!(Token::kept_in(&path).unwrap().is(first.digits()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&path, "").unwrap();
        let second = Token::kept_in(&path).unwrap();
        assert!(Token::kept_in(&path).unwrap().is(second.digits()), "an interrupted start");
        fs::write(&path, "secret").unwrap();
        assert!(matches!(Token::kept_in(&path), Err(TokenError::NoToken { .. })));
    }
}
