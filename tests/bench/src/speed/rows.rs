//! The rows: what is asked, by how many clients, and how fast it was answered.
use std::{cell::Cell, net::SocketAddr, path::Path, rc::Rc};

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Bare, Filled, Measured};
use crate::{
    bare::{echo, route},
    child::processor_seconds,
    load::{self, Client, HttpClient, Pick, Requests, Series, Span},
    machine::say,
    product::{Organization, Running},
    raw::{self, EngineClient, Queries, RawClient, Search},
    report::Table,
};

const CLIENTS: [usize; 3] = [1, 16, 64];
/// How many queries are asked again and again.
const REPEATED_QUERIES: usize = 50;
/// About as much as `get_skill` answers for a skill of usual length.
const LONG_TEXT_BYTES: usize = 8 << 10;

/// What a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) enum What {
    Route,
    Echo,
    LongEcho,
    FirstLoad,
    GetSkill,
    GetSkillFile,
    GetSkillRest,
    FindSkills,
    FindSkillsAgain,
    Raw,
    Engine,
}

pub(super) struct Row {
    what: What,
    series: Series,
    processor_ms: Option<f64>,
}

/// The rows as they are measured.
pub(super) struct Rows<'a> {
    span: Span,
    filled: &'a Filled,
    organization: &'a Organization,
    done: Vec<Row>,
}

/// One server and what to ask of it.
struct Target {
    what: What,
    process: u32,
    requests: Rc<Requests>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(span: Span, filled: &'a Filled, organization: &'a Organization) -> Self {
        Self { span, filled, organization, done: Vec::new() }
    }

    pub(super) fn done(self) -> Vec<Row> {
        self.done
    }

    /// What is compared is measured right after each other.
    pub(super) async fn over_http(&mut self, bare: &Bare, running: &Running) -> anyhow::Result<()> {
        self.first_loads(running).await?;
        let targets: Vec<Target> =
            bare_targets(bare).into_iter().chain(self.product_targets(running)).collect();
        for count in CLIENTS {
            for target in &targets {
                let clients = load::connect(&target.requests, count).await?;
                self.measure(target.what, Some(target.process), clients).await?;
            }
        }
        Ok(())
    }

    /// Each skill once, before any was ever loaded.
    async fn first_loads(&mut self, running: &Running) -> anyhow::Result<()> {
        let asking = Asking { server: running.address, key: Some(&self.organization.key) };
        let mut ids = self.filled.ids.iter().map(|id| json!({ "id": id }));
        let all = asking.tool("/w/main", "get_skill", &mut ids);
        let (server, pick) = (running.address, Pick::InTurn(Cell::new(0)));
        let requests = Rc::new(Requests { server, all, pick, answer_holds: MCP });
        let client = HttpClient::open(requests).await?;
        let series = load::each(client, self.filled.ids.len()).await?;
        self.done.push(Row { what: What::FirstLoad, series, processor_ms: None });
        Ok(())
    }

    /// On the product's own vectors, once it is stopped.
    /// Tells how many skills they hold; where those are not all, there is nothing to compare.
    pub(super) async fn in_process(
        &mut self,
        model: &Path,
        vectors: &Path,
    ) -> anyhow::Result<usize> {
        let search = Search::open(model, vectors).await?;
        let filter = raw::filter(self.organization);
        let indexed = search.count(&filter, self.filled.skills).await?;
        if indexed != self.filled.skills {
            return Ok(indexed);
        }
        let queries = Queries::new(self.filled.queries.clone());
        let engine = EngineClient {
            engine: search.engine(),
            filters: Rc::new([filter.clone()]),
            queries: Rc::clone(&queries),
        };
        let raw = RawClient { search, filter, queries };
        for count in CLIENTS {
            self.measure(What::Raw, None, vec![raw.clone(); count]).await?;
            self.measure(What::Engine, None, vec![engine.clone(); count]).await?;
        }
        Ok(indexed)
    }

    async fn measure<C: Client + 'static>(
        &mut self,
        what: What,
        process: Option<u32>,
        clients: Vec<C>,
    ) -> anyhow::Result<()> {
        let (name, count) = (what.name(), clients.len());
        let clients = load::run(clients, self.span.warm_up).await?.1;
        let before = process.and_then(processor_seconds);
        let (series, _) = load::run(clients, self.span.measured).await?;
        let after = process.and_then(processor_seconds);
        anyhow::ensure!(series.answers > 0, "{name}: no answer for {count} clients");
        let seconds = before.zip(after).map(|(before, after)| after - before);
        let processor_ms = seconds.map(|seconds| seconds * 1000.0 / f64::from(series.answers));
        say(&format!("{name}, {count} clients: {:.0} per second", series.per_second));
        self.done.push(Row { what, series, processor_ms });
        Ok(())
    }

    fn product_targets(&self, running: &Running) -> Vec<Target> {
        let mcp = Asking { server: running.address, key: Some(&self.organization.key) };
        let by_id = || self.filled.ids.iter().map(|id| json!({ "id": id }));
        let queries = || self.filled.queries.iter().map(|query| json!({ "query": query }));
        let again = queries().take(REPEATED_QUERIES);
        let in_turn = || Pick::InTurn(Cell::new(0));
        let workspace = |tool, all: &mut dyn Iterator<Item = Value>| mcp.tool("/w/main", tool, all);
        let rest = by_id().map(|body| mcp.post("/v1/tools/get_skill", &body)).collect();
        let all = [
            (What::GetSkill, workspace("get_skill", &mut by_id()), Pick::Random, MCP),
            (
                What::GetSkillFile,
                workspace("get_skill_file", &mut self.filled.files.iter().cloned()),
                Pick::Random,
                MCP,
            ),
            (What::GetSkillRest, rest, Pick::Random, "\"body\":"),
            (What::FindSkills, workspace("find_skills", &mut queries()), in_turn(), FOUND),
            (
                What::FindSkillsAgain,
                workspace("find_skills", &mut again.into_iter()),
                in_turn(),
                FOUND,
            ),
        ];
        let (server, process) = (running.address, running.child.id);
        let target = |(what, all, pick, answer_holds)| Target {
            what,
            process,
            requests: Rc::new(Requests { server, all, pick, answer_holds }),
        };
        all.into_iter().map(target).collect()
    }
}

/// What an answer over MCP holds where the call went well, and where it found a skill, too.
const MCP: &str = "\"isError\":false";
const FOUND: &str = "\"score\":";

/// How requests to a server are written.
struct Asking<'a> {
    server: SocketAddr,
    key: Option<&'a str>,
}

impl Asking<'_> {
    fn post(&self, path: &str, body: &Value) -> Bytes {
        load::post(self.server, path, self.key, body)
    }

    fn tool(&self, path: &str, tool: &str, all: &mut dyn Iterator<Item = Value>) -> Vec<Bytes> {
        let body = |arguments: Value| {
            let params = json!({ "name": tool, "arguments": arguments });
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
        };
        all.map(|arguments| self.post(path, &body(arguments))).collect()
    }
}

fn bare_targets(bare: &Bare) -> [Target; 3] {
    let (route, echo) = (bare.route.1, bare.echo.1);
    let long = "x".repeat(LONG_TEXT_BYTES);
    let echoed = |text: &str| {
        let asking = Asking { server: echo, key: None };
        asking.tool(echo::PATH, echo::TOOL, &mut [json!({ "text": text })].into_iter())
    };
    let target = |what, process, server, all, answer_holds| {
        let requests = Requests { server, all, pick: Pick::Random, answer_holds };
        Target { what, process, requests: Rc::new(requests) }
    };
    let get = vec![load::get(route, route::PATH)];
    [
        target(What::Route, bare.route.0.id, route, get, "\"ok\""),
        target(What::LongEcho, bare.echo.0.id, echo, echoed(&long), MCP),
        target(What::Echo, bare.echo.0.id, echo, echoed("hello"), MCP),
    ]
}

impl What {
    const fn name(self) -> &'static str {
        match self {
            Self::Route => "bare axum route",
            Self::Echo => "bare rmcp echo tool",
            Self::LongEcho => "bare rmcp echo tool, 8 KiB",
            Self::FirstLoad => "get_skill, each skill for the first time",
            Self::GetSkill => "get_skill",
            Self::GetSkillFile => "get_skill_file",
            Self::GetSkillRest => "get_skill over REST",
            Self::FindSkills => "find_skills",
            Self::FindSkillsAgain => "find_skills, 50 queries again and again",
            Self::Raw => "embedding and raw search, in process",
            Self::Engine => "search without the services, in process",
        }
    }
}

/// A row's figures.
pub(super) fn find(measured: &Measured, what: What, clients: usize) -> Option<Series> {
    let all = measured.rows.iter().map(|row| (row.what, row.series));
    let mut same = all.filter(|(of, series)| *of == what && series.clients == clients);
    same.next().map(|(_, series)| series)
}

pub(super) fn table(measured: &Measured) -> Table {
    let title = format!("With {} skills", measured.skills);
    let columns = ["", "clients", "per second", "of echo", "p50 ms", "p99 ms", "cpu ms"];
    let mut table = Table::new(title, &columns);
    for count in CLIENTS {
        let echo = find(measured, What::Echo, count).map(|echo| echo.per_second);
        for Row { what, series, processor_ms } in &measured.rows {
            let Series { clients, per_second, p50_ms, p99_ms, .. } = series;
            if *clients == count {
                let of_echo = echo.map(|echo| per_second / echo * 100.0);
                table.add(vec![
                    what.name().to_owned(),
                    clients.to_string(),
                    format!("{per_second:.0}"),
                    of_echo.map_or_else(String::new, |percent| format!("{percent:.0} %")),
                    format!("{p50_ms:.2}"),
                    format!("{p99_ms:.2}"),
                    processor_ms.map_or_else(String::new, |ms| format!("{ms:.3}")),
                ]);
            }
        }
    }
    table
}
