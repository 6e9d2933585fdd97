//! Who may ask: whoever has the token in the path, and calls the studio by an address at which it really is.
//!
//! A page of another site can make a browser send requests to this machine. It doesn't know the token. Should it ever
//! learn one, a name that it has let point here (DNS rebinding) is refused because of its `Host`; and without CORS
//! headers it can't read answers.

use crate::entrance::Entrance;
use crate::token::Token;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};

/// What the guard knows.
#[derive(Clone)]
pub(crate) struct Guard {
    pub(crate) token: Token,
    pub(crate) address: SocketAddr,
    /// How a browser of this machine is let in.
    pub(crate) entrance: Entrance,
}

impl Guard {
    /// Whether a `Host` header means this server. A rebound name is a name, so addresses are safe; of names only this
    /// machine's own is known.
    fn knows(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        let literal = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        match (name, literal) {
            ("localhost", _) => true,
            (_, Ok(address)) => {
                self.address.ip().is_unspecified() || address == self.address.ip() || address.is_loopback()
            }
            _ => false,
        }
    }

    fn knows_host_of(&self, request: &Request) -> bool {
        let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
        host.is_some_and(|host| self.knows(host))
    }

    fn admits(&self, request: &Request) -> bool {
        let offered = request.uri().path().trim_start_matches('/').split('/').next().unwrap_or_default();
        // Both are always looked at.
        self.token.is(offered) & self.knows_host_of(request)
    }
}

/// Lets in whoever has the token, leads to it whoever has the secret that opens once, and says in every answer what a
/// browser may do with it.
pub(crate) async fn guarded(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let mut answer = if guard.admits(&request) {
        next.run(request).await
    } else if guard.knows_host_of(&request) && guard.entrance.opens(request.uri().path()) {
        let inside = format!("/{}/", guard.token.as_str());
        (StatusCode::SEE_OTHER, [(header::LOCATION, inside)]).into_response()
    } else {
        (StatusCode::FORBIDDEN, "The studio opens at the address that `petrio studio` has printed.\n")
            .into_response()
    };
    // A page that was made here brings its own.
    let policy = HeaderValue::from_static(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; \
         frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    answer.headers_mut().entry(header::CONTENT_SECURITY_POLICY).or_insert(policy);
    let set = [
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in set {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn guard(address: &str) -> Guard {
        let address = address.parse().unwrap();
        Guard { token: Token::random().unwrap(), address, entrance: Entrance::default() }
    }

    #[test]
    fn only_this_machines_own_names_are_known() {
        let local = guard("127.0.0.1:4711");
        for host in ["127.0.0.1:4711", "localhost:4711", "[::1]:4711"] {
            assert!(local.knows(host), "{host}");
        }
        for host in [
            "evil.example:4711",
            "127.0.0.1",
            "127.0.0.1:80",
            "10.0.0.1:4711",
            "localhost.evil.example:4711",
            "",
        ] {
            assert!(!local.knows(host), "{host}");
        }
        let everywhere = guard("0.0.0.0:4711");
        assert!(everywhere.knows("10.0.0.1:4711"));
        assert!(!everywhere.knows("evil.example:4711"));
    }
}
