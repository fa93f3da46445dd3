//! A database of the benchmark's own, on the server that it was given.
use anyhow::Context;
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Executor,
    postgres::{PgConnectOptions, PgConnection},
};

#[derive(Debug)]
pub(crate) struct Database {
    server: PgConnectOptions,
    name: String,
}

impl Database {
    pub(crate) async fn create(server_url: &str) -> anyhow::Result<Self> {
        let server = server_url.parse().context("`LOADOUT_DATABASE_URL` is no address")?;
        let name = format!("loadout_bench_{}", std::process::id());
        let database = Self { server, name };
        // What a run that was killed has left.
        database.remove().await?;
        database.run(format!("create database {}", database.name)).await?;
        Ok(database)
    }

    pub(crate) fn url(&self) -> String {
        self.server.clone().database(&self.name).to_url_lossy().into()
    }

    pub(crate) async fn remove(&self) -> anyhow::Result<()> {
        self.run(format!("drop database if exists {} with (force)", self.name)).await
    }

    async fn run(&self, statement: String) -> anyhow::Result<()> {
        let mut server =
            PgConnection::connect_with(&self.server).await.context("asking Postgres")?;
        server.execute(AssertSqlSafe(statement)).await.context("asking Postgres")?;
        server.close().await.context("asking Postgres")
    }
}
