//! The secret in a server's address.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A secret of 128 bits, as hexadecimal digits; it gives access to a server.
#[derive(Clone)]
pub struct Token(String);

/// Why a token could not be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers: {0}")]
    Random(getrandom::Error),
    /// The file cannot be read or written.
    #[error("cannot keep the token in {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file holds something else than a token.
    #[error("{0} does not hold a token (32 hexadecimal digits); remove it to create a new one")]
    NoToken(PathBuf),
}

const DIGITS: usize = 32;

impl Token {
    /// A random token.
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0; DIGITS / 2];
        getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token in a file, which is created if it is missing. The address of a page then survives a restart.
    pub fn kept_in(path: &Path) -> Result<Self, TokenError> {
        let failed = |source| TokenError::Io { path: path.into(), source };
        let kept = match tutelage_files::read_text(path) {
            // An interrupted start can leave an empty file.
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
                    .ok_or_else(|| TokenError::NoToken(path.into()))
            }
            None => {
                let token = Self::random()?;
                let mut file = private(path).map_err(failed)?;
                writeln!(file, "{}", token.0).map_err(failed)?;
                Ok(token)
            }
        }
    }

    /// The token of [`super::TestServer`].
    pub(crate) fn zero() -> Self {
        Self("0".repeat(DIGITS))
    }

    pub(crate) fn digits(&self) -> &str {
        &self.0
    }

    /// Compares in constant time.
    pub(crate) fn is(&self, other: &str) -> bool {
        let difference = |(a, b): (u8, u8)| a ^ b;
        let differences = self.0.bytes().zip(other.bytes()).map(difference);
        differences.fold(0, |all, one| all | one) == 0 && self.0.len() == other.len()
    }
}

/// A new file that only its owner can read.
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
    fn random_tokens_differ_and_compare_whole() {
        let [a, b] = [Token::random().unwrap(), Token::random().unwrap()];
        assert_eq!(a.digits().len(), DIGITS);
        assert!(a.is(a.digits()) && !a.is(b.digits()));
        assert!(!a.is("") && !a.is(&a.digits()[1..]) && !a.is(&format!("{}0", a.digits())));
    }

    #[test]
    fn a_stored_token_is_private_and_survives() {
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
        assert!(Token::kept_in(&path).unwrap().is(second.digits()), "after an interrupted start");
        fs::write(&path, "secret").unwrap();
        assert!(matches!(Token::kept_in(&path), Err(TokenError::NoToken(_))));
    }
}
