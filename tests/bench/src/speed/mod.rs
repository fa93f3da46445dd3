//! How fast the product answers beside bare servers, and what it takes, in one run.
mod budgets;
mod filling;
mod rows;
mod start;

use std::time::Duration;

use crate::{
    child::{Child, Memory},
    load::Span,
    machine::{self, Machine, say},
    options::SpeedOptions,
    product::{self, Api, Organization, Place},
    report::{Report, Table},
    skills::{self, Skill},
};
use filling::{Filled, fill};
use rows::{Row, Rows};
use start::Start;

/// How many skills the smaller of the two measurements has.
const FEW: usize = 20;
/// How long the product is left alone before its idle memory is read.
const REST: Duration = Duration::from_secs(5);

/// All figures of one number of skills.
struct Measured {
    skills: usize,
    /// How many of them were in the index when the product was stopped.
    indexed: usize,
    rows: Vec<Row>,
    start: Start,
    /// Before anything was asked, after a start with these skills.
    idle: Option<Memory>,
    after_load: Option<Memory>,
}

/// The bare servers.
struct Bare {
    echo: (Child, std::net::SocketAddr),
    route: (Child, std::net::SocketAddr),
}

pub(crate) async fn measure(options: &SpeedOptions) -> anyhow::Result<Report> {
    let machine = Machine::prepared()?;
    let load_before = machine::load_average();
    let echo = Child::bare(&machine.bench, "echo-server").await?;
    let bare = Bare { echo, route: Child::bare(&machine.bench, "route-server").await? };
    let span = span(options.quick);
    let many = options.skill_count();
    let all = product::in_new_place(&machine, async |place| {
        let mut demo = skills::demo(machine::checkout())?;
        demo.truncate(FEW);
        let real = skills::real(machine::checkout())?;
        let made = (0..many).filter_map(|number| skills::vary(&real, number)).collect();
        let few = stage(&machine, place, &bare, Stage { name: "few", skills: demo, span }).await?;
        let many =
            stage(&machine, place, &bare, Stage { name: "many", skills: made, span }).await?;
        Ok([few, many])
    });
    Ok(report(&all.await?, span, load_before))
}

/// One number of skills, in an organization of its own.
struct Stage {
    name: &'static str,
    skills: Vec<Skill>,
    span: Span,
}

async fn stage(
    machine: &Machine,
    place: &Place,
    bare: &Bare,
    stage: Stage,
) -> anyhow::Result<Measured> {
    let Stage { name, skills, span } = stage;
    let count = skills.len();
    let running = place.start().await?;
    let api = Api::new(running.address);
    let organization = api.make_organization(place.operator_token(), name).await?;
    let filled = fill(&api, &organization, skills).await?;
    running.child.stop().await?;
    let (running, start, idle) = start_again(place, &organization, &filled).await?;
    say(&format!("measuring with {count} skills"));
    let mut rows = Rows::new(span, &filled, &organization);
    rows.over_http(bare, &running).await?;
    let after_load = running.child.memory();
    running.child.stop().await?;
    let indexed = rows.in_process(&machine.model_dir, &place.vectors()).await?;
    Ok(Measured { skills: count, indexed, rows: rows.done(), start, idle, after_load })
}

/// Starts the product on what it has: once to see how soon it answers, once to see what it takes idle.
async fn start_again(
    place: &Place,
    organization: &Organization,
    filled: &Filled,
) -> anyhow::Result<(product::Running, Start, Option<Memory>)> {
    say("starting again");
    let running = place.start().await?;
    let start = Start::measure(&running, organization, filled).await?;
    running.child.stop().await?;
    let running = place.start().await?;
    tokio::time::sleep(REST).await;
    let idle = running.child.memory();
    Ok((running, start, idle))
}

fn span(is_quick: bool) -> Span {
    let (warm_up, measured) = if is_quick { (300, 1_000) } else { (1_000, 5_000) };
    Span { warm_up: Duration::from_millis(warm_up), measured: Duration::from_millis(measured) }
}

fn report(all: &[Measured], span: Span, load_before: Option<f64>) -> Report {
    Report {
        title: "Loadout's speed and memory".to_owned(),
        notes: notes(span, load_before),
        tables: all.iter().map(rows::table).chain([start::table(all), memory(all)]).collect(),
        budgets: budgets::all(all),
    }
}

fn notes(span: Span, load_before: Option<f64>) -> Vec<String> {
    let mut notes = vec![
        format!(
            "One machine, loopback, {} cores, which what asks and what answers share: in all rows alike. Compare rows of this run only.",
            machine::cores()
        ),
        format!(
            "Each row: {} s after {} s of warming up; each client has a connection and asks again as soon as it was answered.",
            span.measured.as_secs_f32(),
            span.warm_up.as_secs_f32()
        ),
        "`cpu` is the processor time that the server alone takes for an answer, without Postgres and without what asks.".to_owned(),
    ];
    if let Some(load) = load_before.filter(|load| *load > 0.5) {
        notes.push(format!(
            "The machine was busy with other work before the run (load {load}): the figures are not to be relied on."
        ));
    }
    notes
}

fn memory(all: &[Measured]) -> Table {
    let mut table = Table::new(
        "Memory of standalone, in MiB (resident; in parentheses without files)",
        &["skills", "idle, model loaded", "after the load"],
    );
    for Measured { skills, idle, after_load, .. } in all {
        table.add(vec![skills.to_string(), shown(*idle), shown(*after_load)]);
    }
    table
}

fn shown(memory: Option<Memory>) -> String {
    memory.map_or_else(
        || "unknown".to_owned(),
        |Memory { resident_mib, anonymous_mib }| format!("{resident_mib:.0} ({anonymous_mib:.0})"),
    )
}
