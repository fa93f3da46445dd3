//! The load generator: some clients, each asking again as soon as it was answered.
mod connection;
mod request;
mod times;

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::Context;
use tokio::task::{JoinSet, LocalSet};

pub(crate) use connection::HttpClient;
pub(crate) use request::{Pick, Requests, get, post};
pub(crate) use times::{Series, Times};

/// One who asks.
pub(crate) trait Client {
    /// Asks once, and makes sure that the answer is one.
    async fn ask(&mut self) -> anyhow::Result<()>;
}

/// How long a row is measured, and how long it is warmed up before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
}

/// Runs the clients side by side, and gives them back. An answer that is none ends it: how fast something
/// fails is no figure.
pub(crate) async fn run<C: Client + 'static>(
    clients: Vec<C>,
    measured: Duration,
) -> anyhow::Result<(Series, Vec<C>)> {
    let (count, until) = (clients.len(), Instant::now() + measured);
    let (times, clients) = LocalSet::new().run_until(run_all(clients, until)).await?;
    Ok((times.series(count, measured), clients))
}

/// Has one client ask so many times, however long that takes.
pub(crate) async fn each<C: Client>(mut client: C, count: usize) -> anyhow::Result<Series> {
    let (begun, mut times) = (Instant::now(), Times::default());
    for _ in 0..count {
        let asked = Instant::now();
        client.ask().await?;
        times.add(asked.elapsed());
    }
    Ok(times.series(1, begun.elapsed()))
}

async fn run_all<C: Client + 'static>(
    clients: Vec<C>,
    until: Instant,
) -> anyhow::Result<(Times, Vec<C>)> {
    let mut tasks = JoinSet::new();
    for client in clients {
        tasks.spawn_local(run_one(client, until));
    }
    let (mut all, mut clients) = (Times::default(), Vec::new());
    while let Some(ran) = tasks.join_next().await {
        let (times, client) = ran.context("a client panicked")??;
        all.extend(times);
        clients.push(client);
    }
    Ok((all, clients))
}

/// Counts what ends within the time measured.
async fn run_one<C: Client>(mut client: C, until: Instant) -> anyhow::Result<(Times, C)> {
    let mut times = Times::default();
    loop {
        let begun = Instant::now();
        if begun >= until {
            return Ok((times, client));
        }
        client.ask().await?;
        let ended = Instant::now();
        if ended < until {
            times.add(ended - begun);
        }
    }
}

/// A server's clients, each with a connection of its own.
pub(crate) async fn connect(
    requests: &Rc<Requests>,
    count: usize,
) -> anyhow::Result<Vec<HttpClient>> {
    let mut clients = Vec::with_capacity(count);
    for _ in 0..count {
        clients.push(HttpClient::open(Rc::clone(requests)).await?);
    }
    Ok(clients)
}
