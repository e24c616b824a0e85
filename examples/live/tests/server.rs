//! The server over real sockets: what a client that is no browser is told.

use std::net::SocketAddr;
use std::path::Path;

use futures_util::{SinkExt, StreamExt};
use quadrille_airspace::clock::Minute;
use quadrille_airspace::data::Tables;
use quadrille_airspace::schedule::Schedule;
use quadrille_live::fleet::Fleet;
use quadrille_live::hub::{Hub, Limits};
use quadrille_live::message::BYTES_MAX;
use quadrille_live::server;
use quadrille_live::sky::Sky;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A server with room for two views, for as long as the test runs.
async fn serve() -> SocketAddr {
    let (listener, address) = server::listen(0).await.unwrap();
    let (commands, obeyed) = mpsc::channel(64);
    std::thread::spawn(move || {
        let tables = Tables::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../airspace/data/us-air")).unwrap();
        let schedule = Schedule::new(&tables, 1);
        let mut sky = Sky::new(&tables, &schedule).unwrap();
        let fleet = Fleet::new(&mut sky, Minute::wrapping(720), 0.1).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(Hub::new(sky, fleet, Limits { views: 2, listed: 20_000 }).run(obeyed)).unwrap();
    });
    tokio::spawn(server::serve(listener, commands, "outlines", false));
    address
}

async fn connect(address: SocketAddr) -> Socket {
    connect_async(format!("ws://{address}/live")).await.unwrap().0
}

/// The next text with this key.
async fn text(socket: &mut Socket, key: &str) -> Value {
    loop {
        let message = socket.next().await.unwrap().unwrap();
        if let Message::Text(text) = message
            && let Some(value) = serde_json::from_str::<Value>(&text).unwrap().get(key)
        {
            return value.clone();
        }
    }
}

/// The number that the server closes with.
async fn close_code(socket: &mut Socket) -> u16 {
    loop {
        if let Message::Close(frame) = socket.next().await.unwrap().unwrap() {
            return frame.unwrap().code.into();
        }
    }
}

#[tokio::test]
async fn bad_messages_are_answered_and_the_view_lives_on() {
    let mut socket = connect(serve().await).await;
    assert_eq!(text(&mut socket, "hello").await["limits"]["views"], 2);
    let too_long = format!(r#"{{"view":[{}]}}"#, " ".repeat(BYTES_MAX));
    let cases = [
        (Message::text("nonsense"), "not understood: "),
        (Message::binary(vec![1, 2, 3]), "messages are text, not bytes"),
        (Message::text(too_long), "the message has 16395 bytes, limit 16384"),
    ];
    for (message, reason) in cases {
        socket.send(message).await.unwrap();
        let error = text(&mut socket, "error").await;
        assert!(error.as_str().unwrap().starts_with(reason), "{error}");
    }
    socket.send(Message::text(r#"{"select":null}"#)).await.unwrap();
    assert_eq!(text(&mut socket, "selected").await, Value::Null);
}

#[tokio::test]
async fn a_message_too_long_to_be_read_ends_the_view_with_a_reason() {
    let mut socket = connect(serve().await).await;
    socket.send(Message::text(" ".repeat(5 * BYTES_MAX))).await.unwrap();
    let error = text(&mut socket, "error").await;
    assert!(error.as_str().unwrap().contains("too long"), "{error}");
    assert_eq!(close_code(&mut socket).await, 1009);
}

#[tokio::test]
async fn a_view_too_many_is_told_so() {
    let address = serve().await;
    let mut sockets = [connect(address).await, connect(address).await];
    for socket in &mut sockets {
        text(socket, "hello").await;
    }
    let mut third = connect(address).await;
    assert_eq!(text(&mut third, "error").await, "too many views: there are 2, limit 2; try again later");
    assert_eq!(close_code(&mut third).await, 1013);
    sockets[0].close(None).await.unwrap();
    while sockets[0].next().await.is_some_and(|message| message.is_ok()) {}
    // There is room again as soon as the hub has heard of it.
    let hello = async {
        loop {
            let mut socket = connect(address).await;
            let Some(Ok(Message::Text(first))) = socket.next().await else { continue };
            if first.contains("hello") {
                return;
            }
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), hello).await.unwrap();
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let address = serve().await;
    let mut request = format!("ws://{address}/live").into_client_request().unwrap();
    request.headers_mut().insert("origin", "http://elsewhere.example".parse().unwrap());
    let Err(Error::Http(response)) = connect_async(request).await else { panic!("it was let in") };
    assert_eq!(response.status(), 403);
}
