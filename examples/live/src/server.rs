//! The web server: the page, embedded, and a WebSocket for each view. It listens on the loopback address only.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Context;
use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use crate::hub::{Command, Inspect, QUEUE, Seat, ViewId};
use crate::message::{BYTES_MAX, Refusal, Request};

/// Messages up to this size are read, so that the answer can say that they are too long.
const READ_MAX: usize = 4 * BYTES_MAX;

/// The files of the page: path, type, content.
const FILES: [(&str, &str, &str); 9] = [
    ("/", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("../page/style.css")),
    ("/main.js", "text/javascript; charset=utf-8", include_str!("../page/main.js")),
    ("/wire.js", "text/javascript; charset=utf-8", include_str!("../page/wire.js")),
    ("/trails.js", "text/javascript; charset=utf-8", include_str!("../page/trails.js")),
    ("/labels.js", "text/javascript; charset=utf-8", include_str!("../page/labels.js")),
    ("/outlines.js", "text/javascript; charset=utf-8", include_str!("../page/outlines.js")),
    ("/map.js", "text/javascript; charset=utf-8", include_str!("../page/map.js")),
    ("/panel.js", "text/javascript; charset=utf-8", include_str!("../page/panel.js")),
];

/// Where commands for the hub go.
pub type Commands = mpsc::Sender<Command>;

/// Takes a port of the loopback address; with 0, any that is free.
///
/// # Errors
/// The port is taken.
pub async fn listen(port: u16) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves until the process ends: the page, the file with the outlines of regions, and views. `inspect` adds the paths that
/// tests need.
///
/// # Errors
/// The listener fails.
pub async fn serve(
    listener: TcpListener,
    commands: Commands,
    outlines: impl Into<Bytes>,
    inspect: bool,
) -> anyhow::Result<()> {
    // A frame is written at once and is not to wait for the next one.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, routes(outlines.into(), inspect).with_state(commands)).await.context("the server has stopped")
}

fn routes(outlines: Bytes, inspect: bool) -> Router<Commands> {
    let mut routes = Router::new().route("/live", get(connect));
    for (path, kind, content) in FILES {
        let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
        routes = routes.route(path, get(move || async move { (headers, content) }));
    }
    let headers = [(header::CONTENT_TYPE, "application/octet-stream"), (header::CACHE_CONTROL, "no-cache")];
    routes = routes.route("/outlines.bin", get(move || async move { (headers, outlines) }));
    if inspect {
        routes = routes.route("/inspect/{question}", get(inspect_with).post(inspect_with));
    }
    routes
}

async fn connect(State(commands): State<Commands>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if !is_own_page(&headers) {
        return (StatusCode::FORBIDDEN, "this map is for pages of its own server only\n").into_response();
    }
    upgrade.max_message_size(READ_MAX).max_frame_size(READ_MAX).on_upgrade(|socket| converse(socket, commands))
}

/// Whether a request comes from this server's page, or from no page at all. Any page in a browser may open a WebSocket to
/// any address, so the page of another site is refused, and one that calls this server by another name.
fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value: &header::HeaderValue| value.to_str().unwrap_or_default());
    let host = text(header::HOST).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_loopback = ["localhost", "127.0.0.1"].contains(&name);
    is_loopback && text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host))
}

async fn converse(mut socket: WebSocket, commands: Commands) {
    let (queue, mut messages) = mpsc::channel(QUEUE);
    let (alive, mut dropped) = oneshot::channel();
    let (answer, joined) = oneshot::channel();
    if commands.send(Command::Join(Seat { queue, alive }, answer)).await.is_err() {
        return;
    }
    match joined.await {
        Ok(Ok(id)) => {
            let last_words = pump(&mut socket, id, &mut messages, &mut dropped, &commands).await;
            drop(commands.send(Command::Leave(id)).await);
            if let Some(reason) = last_words {
                refuse(&mut socket, 1009, &reason).await;
            }
        }
        Ok(Err(too_many)) => refuse(&mut socket, 1013, &too_many.to_string()).await,
        Err(_) => {}
    }
}

/// Sends an error, and closes. Whoever has gone does not hear it.
async fn refuse(socket: &mut WebSocket, code: u16, reason: &str) {
    let error = json!({ "error": reason }).to_string();
    drop(socket.send(Message::Text(error.into())).await);
    drop(socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await);
}

/// Carries messages both ways until one end is gone, or the hub has dropped the view. Returns what is to be said last.
async fn pump(
    socket: &mut WebSocket,
    id: ViewId,
    messages: &mut mpsc::Receiver<Message>,
    dropped: &mut oneshot::Receiver<()>,
    commands: &Commands,
) -> Option<String> {
    loop {
        tokio::select! {
            message = messages.recv() => {
                let message = message?;
                tokio::select! {
                    // A browser that does not read keeps `send` waiting for good.
                    _ = &mut *dropped => return None,
                    sent = socket.send(message) => sent.ok()?,
                }
            }
            received = socket.recv() => {
                let asked = match received? {
                    Ok(Message::Text(text)) => Request::parse(&text),
                    Ok(Message::Binary(_)) => Err(Refusal::NotText),
                    Ok(Message::Ping(_) | Message::Pong(_)) => continue,
                    Ok(Message::Close(_)) => return None,
                    Err(error) => return Some(format!("the message cannot be read: {error}")),
                };
                commands.send(Command::Ask(id, asked)).await.ok()?;
            }
        }
    }
}

async fn inspect_with(State(commands): State<Commands>, Path(question): Path<String>, body: String) -> Response {
    let question = match inspection(&question, &body) {
        Ok(question) => question,
        Err(reason) => return (StatusCode::BAD_REQUEST, reason).into_response(),
    };
    let (answer, answered) = oneshot::channel();
    let sent = commands.send(Command::Inspect(question, answer)).await.is_ok();
    match answered.await {
        Ok(answer) if sent => Json(answer).into_response(),
        _ => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

fn inspection(question: &str, body: &str) -> Result<Inspect, String> {
    Ok(match question {
        "pause" => Inspect::Pause(true),
        "resume" => Inspect::Pause(false),
        "status" => Inspect::Status,
        "nearest" => Inspect::Nearest(body.parse().map_err(|_| "the body is not a number on the wire".to_owned())?),
        // In the form of the message that draws a zone.
        "scan" => match Request::parse(body).map_err(|refusal| refusal.to_string())? {
            Request::Zone(Some(zone)) => Inspect::Scan(zone.shape),
            _ => return Err("the body is not a zone".to_owned()),
        },
        _ => return Err(format!("{question:?} cannot be asked")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_own(host: &'static str, origin: Option<&'static str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        is_own_page(&headers)
    }

    #[test]
    fn only_the_own_page_may_connect() {
        assert!(is_own("127.0.0.1:4747", Some("http://127.0.0.1:4747")));
        assert!(is_own("localhost:4747", Some("http://localhost:4747")));
        assert!(is_own("127.0.0.1:4747", None));
        assert!(!is_own("127.0.0.1:4747", Some("http://127.0.0.1:80")));
        assert!(!is_own("127.0.0.1:4747", Some("http://example.com")));
        assert!(!is_own("127.0.0.1:4747", Some("null")));
        assert!(!is_own("example.com:4747", Some("http://example.com:4747")));
    }

    #[test]
    fn the_page_fetches_nothing_from_elsewhere() {
        for (path, _, content) in FILES {
            for address in content.match_indices("//").map(|(at, _)| &content[at.saturating_sub(6)..at]) {
                assert!(!address.ends_with("http:") && !address.ends_with("https:"), "{path} names an address");
            }
        }
    }
}
