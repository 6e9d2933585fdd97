//! The built pages, inside the binary, compressed once when they are first asked for.

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::OnceLock;

/// What `web/` is built to; committed, so that cargo alone builds the product.
const BUILT: [(&str, &[u8]); 3] = [
    ("index.html", include_bytes!("../assets/index.html")),
    ("studio.css", include_bytes!("../assets/studio.css")),
    ("studio.js", include_bytes!("../assets/studio.js")),
];

/// A file as it is, and compressed.
struct Asset {
    kind: &'static str,
    plain: Bytes,
    compressed: Bytes,
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

fn compressed(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory can't fail; an empty answer would be seen at once.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default().into()
}

fn all() -> &'static BTreeMap<&'static str, Asset> {
    static ALL: OnceLock<BTreeMap<&str, Asset>> = OnceLock::new();
    ALL.get_or_init(|| {
        let asset = |(name, built): (&'static str, &'static [u8])| {
            let (kind, plain) = (kind(name), Bytes::from_static(built));
            (name, Asset { kind, compressed: compressed(built), plain })
        };
        BUILT.into_iter().map(asset).collect()
    })
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.unwrap_or_default().split(',').any(|one| {
        let mut parts = one.trim().split(';');
        parts.next() == Some("gzip") && parts.all(|part| part.trim() != "q=0")
    })
}

/// Answers with a page or what belongs to it.
pub(crate) async fn asset(uri: Uri, headers: HeaderMap) -> Response {
    let name = uri.path().trim_start_matches('/').split_once('/').map_or("", |(_, name)| name);
    let name = if name.is_empty() { "index.html" } else { name };
    let Some(asset) = all().get(name) else {
        return (StatusCode::NOT_FOUND, "There is no such page.\n").into_response();
    };
    let head = [(header::CONTENT_TYPE, asset.kind), (header::VARY, "Accept-Encoding")];
    if takes_gzip(&headers) {
        (head, [(header::CONTENT_ENCODING, "gzip")], asset.compressed.clone()).into_response()
    } else {
        (head, asset.plain.clone()).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The promise: what a browser loads before the studio can be used.
    const FIRST_LOAD_MAX: usize = 100_000;

    #[test]
    fn the_first_load_is_below_100_kb() {
        let bytes: usize = all().values().map(|asset| asset.compressed.len()).sum();
        assert!(all().contains_key("index.html"));
        assert!(bytes > 1_000 && bytes < FIRST_LOAD_MAX, "{bytes} bytes");
    }
}
