//! The bare servers that Loadout is measured beside, each in a process of its own.
pub(crate) mod echo;
pub(crate) mod route;

use std::net::Ipv4Addr;

use anyhow::Context;
use axum::{Router, serve::ListenerExt};
use tokio::net::TcpListener;

/// Serves on a free port of loopback and prints it, with the same socket settings as the product.
async fn serve(router: Router) -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("listening")?;
    println!("{}", listener.local_addr().context("reading the address")?.port());
    let listener = listener.tap_io(|stream| {
        // As the product does.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await.context("serving")
}
