//! The registry, as a program of its own.
use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::{Args, Subcommand};
use clock::Clock;
use process::Process;
use registry::{Config, NewOrganization};

/// What the program is to do; to serve, where nothing is said.
#[derive(Debug, Args)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bring the database's schema up to date
    Migrate,
    /// Make organizations and signing keys
    #[command(subcommand)]
    Admin(Admin),
}

#[derive(Debug, Subcommand)]
enum Admin {
    /// Make an organization, its first workspace, and a key that holds every scope; prints them as JSON
    CreateOrganization {
        /// Unique among organizations: 1 to 64 of a-z, 0-9 and -
        #[arg(long)]
        slug: String,
        /// What people call it; the slug unless given
        #[arg(long, default_value = "")]
        name: String,
        /// The slug of the first workspace
        #[arg(long, default_value = "main")]
        workspace: String,
    },
    /// Make the key pair that signs and verifies caller tokens; replaces no file
    MakeSigningKey {
        /// Where the private key goes
        #[arg(long)]
        private: PathBuf,
        /// Where the public key goes
        #[arg(long)]
        public: PathBuf,
    },
}

fn main() -> ExitCode {
    process::run("registry", async |config: Config, arguments: Arguments, process| match arguments
        .command
    {
        None => serve(&config, process).await,
        Some(Command::Migrate) => migrate(&config).await,
        Some(Command::Admin(Admin::CreateOrganization { slug, name, workspace })) => {
            create_organization(&config, NewOrganization { slug, name, workspace }).await
        }
        Some(Command::Admin(Admin::MakeSigningKey { private, public })) => {
            access::make_signing_key(&private, &public).context("making a signing key")
        }
    })
}

async fn serve(config: &Config, process: &Process) -> anyhow::Result<()> {
    let search = config.search.parse();
    let search = search.with_context(|| format!("`search` is `{}`", config.search))?;
    let search = contract::transport::remote(search);
    let routes = registry::routes(config, search, process, Clock::default()).await?;
    process.serve_grpc(config.listen, routes, contract::DESCRIPTION).await?;
    Ok(())
}

async fn migrate(config: &Config) -> anyhow::Result<()> {
    config.database.migrate().await.context("bringing the schema up to date")
}

async fn create_organization(config: &Config, new: NewOrganization) -> anyhow::Result<()> {
    let database = config.database.connect().await.context("connecting to Postgres")?;
    let created = registry::create_organization(&database, &Clock::default(), new).await?;
    println!("{}", created.to_json());
    Ok(())
}
