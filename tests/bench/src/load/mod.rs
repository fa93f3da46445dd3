//! The load generator: some clients, each asking again as soon as it was answered.
mod connection;
mod request;
mod times;

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
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

/// Runs the clients side by side. An answer that is none ends it: how fast something fails is no figure.
pub(crate) async fn run<C: Client + 'static>(clients: Vec<C>, span: Span) -> anyhow::Result<Series> {
    let count = clients.len();
    let from = Instant::now() + span.warm_up;
    let until = from + span.measured;
    let times = LocalSet::new().run_until(run_all(clients, from, until)).await?;
    if times.is_empty() {
        bail!("no answer within {} s of {count} clients", span.measured.as_secs_f32());
    }
    Ok(times.series(count, span.measured))
}

async fn run_all<C: Client + 'static>(
    clients: Vec<C>,
    from: Instant,
    until: Instant,
) -> anyhow::Result<Times> {
    let mut tasks = JoinSet::new();
    for client in clients {
        tasks.spawn_local(run_one(client, from, until));
    }
    let mut all = Times::default();
    while let Some(times) = tasks.join_next().await {
        all.extend(times.context("a client panicked")??);
    }
    Ok(all)
}

/// Counts what ends within the time measured.
async fn run_one<C: Client>(mut client: C, from: Instant, until: Instant) -> anyhow::Result<Times> {
    let mut times = Times::default();
    loop {
        let begun = Instant::now();
        if begun >= until {
            return Ok(times);
        }
        client.ask().await?;
        let ended = Instant::now();
        if ended >= from && ended < until {
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
