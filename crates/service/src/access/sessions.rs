//! Sessions of licence holders who signed in with a key.
//!
//! The browser has an opaque token, the store its digest. A session ends when it is left alone for
//! [`IDLE_HOURS`], after [`LONGEST_HOURS`] in any case, when its holder signs out, and with the key that was
//! used to sign in.

use std::fmt;

use contract::Timestamp;
use data_encoding::BASE64URL_NOPAD;
use store::{Digest, Licence, Session, StoreError};

use crate::access::Access;
use crate::access::licence::{LicenceError, PresentedKey};

pub const IDLE_HOURS: i64 = 8;
pub const LONGEST_HOURS: i64 = 7 * 24;
const HOUR_MS: i64 = 3_600_000;
/// A use is recorded when the last one was this long ago, so that not every request writes.
const TOUCH_MS: i64 = 5 * 60_000;
/// The description of a client that is kept, in characters.
const MAX_CLIENT_CHARS: usize = 120;

/// Keeps the secrets of forms apart from other uses of the deployment's secret.
const FORM_LABEL: &str = "forms of a session";

/// The secret of a session. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

/// A session that is valid now, and the licence that it is for.
#[derive(Debug, Clone)]
pub struct SignedIn {
    pub licence: Licence,
    pub session: Session,
}

impl SessionToken {
    /// 32 bytes in base64url.
    const CHARS: usize = 43;

    pub(crate) fn from_secret(secret: &[u8; 32]) -> Self {
        Self(BASE64URL_NOPAD.encode(secret))
    }

    /// `None` for a text that is not in the format of our tokens.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.len() == Self::CHARS
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        plain.then(|| Self(text.to_owned()))
    }

    /// The token itself, for the cookie.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn sha256(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken")
    }
}

impl SignedIn {
    /// What names the session on pages and in forms. It gives no access.
    #[must_use]
    pub fn session_id(&self) -> String {
        session_id(&self.session)
    }
}

/// What names a session on pages and in forms. It gives no access.
#[must_use]
pub fn session_id(session: &Session) -> String {
    session.token_sha256.to_string().chars().take(16).collect()
}

impl Access {
    /// Begins a session for the holder of a key. The token is always a new one: whatever the browser sent
    /// before is not used.
    pub async fn sign_in(
        &self,
        presented: &PresentedKey,
        client: &str,
    ) -> Result<SessionToken, LicenceError> {
        let (licence, key) = self.find_active_key(presented).await?;
        let token = SessionToken::from_secret(&self.ids.random_bytes()?);
        let now = self.clock.now().whole_seconds();
        let client = client.chars().filter(|c| !c.is_control()).take(MAX_CLIENT_CHARS).collect();
        let session = Session {
            token_sha256: token.sha256(),
            licence_id: licence.id,
            key_sha256: key.key_sha256,
            created_at: now,
            last_seen_at: now,
            idle_until: now.plus_millis(IDLE_HOURS * HOUR_MS),
            expires_at: now.plus_millis(LONGEST_HOURS * HOUR_MS),
            client,
        };
        self.store.put_session(session).await?;
        Ok(token)
    }

    /// The session with this token, if it and its licence and key are valid. Records from time to time that
    /// it was used.
    pub async fn find_session(&self, token: &SessionToken) -> Result<Option<SignedIn>, StoreError> {
        let now = self.clock.now();
        let Some(session) = self.store.session(token.sha256()).await? else { return Ok(None) };
        if !session.is_active(now) {
            return Ok(None);
        }
        let found = self.store.licence_by_key(session.key_sha256).await?;
        let found = found.filter(|(licence, key)| {
            licence.id == session.licence_id && licence.is_active(now) && key.is_valid(now)
        });
        let Some((licence, _)) = found else { return Ok(None) };
        self.note_use(&session, now).await?;
        Ok(Some(SignedIn { licence, session }))
    }

    async fn note_use(&self, session: &Session, now: Timestamp) -> Result<(), StoreError> {
        if now.millis_since(session.last_seen_at) < TOUCH_MS {
            return Ok(());
        }
        let now = now.whole_seconds();
        let idle_until = now.plus_millis(IDLE_HOURS * HOUR_MS);
        self.store.touch_session(session.token_sha256, now, idle_until).await.map(|_| ())
    }

    pub async fn sign_out(&self, signed_in: &SignedIn) -> Result<(), StoreError> {
        self.store.end_session(signed_in.session.token_sha256).await.map(|_| ())
    }

    /// Ends all sessions of the licence, this one included, and returns how many there were.
    pub async fn sign_out_everywhere(&self, signed_in: &SignedIn) -> Result<u64, StoreError> {
        self.store.end_sessions(&signed_in.licence.id, None).await
    }

    /// Ends one session of the licence by its [`session_id`]. `false` if it has none with this id.
    pub async fn end_session_by_id(
        &self,
        signed_in: &SignedIn,
        id: &str,
    ) -> Result<bool, StoreError> {
        let sessions = self.sessions(signed_in).await?;
        match sessions.iter().find(|session| session_id(session) == id) {
            Some(session) => self.store.end_session(session.token_sha256).await,
            None => Ok(false),
        }
    }

    /// The valid sessions of the licence, the one that was used last first.
    pub async fn sessions(&self, signed_in: &SignedIn) -> Result<Vec<Session>, StoreError> {
        let now = self.clock.now();
        let sessions = self.store.sessions_of(&signed_in.licence.id).await?;
        Ok(sessions.into_iter().filter(|session| session.is_active(now)).collect())
    }

    /// The secret of the forms that this session is shown. Another site cannot know it.
    #[must_use]
    pub fn form_secret(&self, signed_in: &SignedIn) -> String {
        self.secret.mac(FORM_LABEL, &[signed_in.session.token_sha256.as_bytes()]).to_string()
    }

    /// Whether a form was shown to this session.
    #[must_use]
    pub fn is_form_secret(&self, signed_in: &SignedIn, sent: &str) -> bool {
        let Ok(sent) = sent.parse::<proof::Digest>() else { return false };
        let of_session = signed_in.session.token_sha256;
        self.secret.verifies(FORM_LABEL, &[of_session.as_bytes()], sent.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_in_our_format_are_parsed() {
        let token = SessionToken::from_secret(&[7; 32]);
        assert_eq!(SessionToken::parse(token.reveal()), Some(token.clone()));
        let (short, long) = ("a".repeat(42), "a".repeat(10_000));
        for bad in ["", "a", &short, &format!("{short}="), &long] {
            assert_eq!(SessionToken::parse(bad), None, "{bad}");
        }
        assert!(!format!("{token:?}").contains(token.reveal()));
    }
}
