//! What the design allows, beside what was measured.
use super::{
    Measured,
    rows::{What, find},
};
use crate::report::{Budget, Limit};

/// `get_skill`'s requests per second beside those of the echo tool.
const GET_SKILL: Limit = Limit::AtLeast(0.5);
/// The time of `find_skills` beside that of embedding the query and a raw search.
const FIND_SKILLS: Limit = Limit::AtMost(1.3);
const IDLE_MIB: Limit = Limit::AtMost(250.0);

pub(super) fn all(all: &[Measured]) -> Vec<Budget> {
    let mut budgets = Vec::new();
    for measured in all {
        budgets.extend([1, 16, 64].map(|clients| get_skill(measured, clients)));
    }
    budgets.extend(all.last().map(find_skills));
    budgets.extend(all.first().map(idle));
    budgets.extend(all.iter().map(indexed));
    budgets
}

/// An index that was lost and made anew meanwhile would make all other figures worthless.
fn indexed(measured: &Measured) -> Budget {
    let share = || {
        Some(
            f64::from(u32::try_from(measured.indexed).ok()?)
                / f64::from(u32::try_from(measured.skills).ok()?),
        )
    };
    let what = format!("of {} skills in the index that the product left", measured.skills);
    Budget::new(what, Limit::AtLeast(1.0), share(), "")
}

fn get_skill(measured: &Measured, clients: usize) -> Budget {
    let per_second = |what| Some(find(measured, what, clients)?.per_second);
    let ratio = || Some(per_second(What::GetSkill)? / per_second(What::Echo)?);
    let what = format!(
        "get_skill beside the echo tool, requests per second, {} skills, {clients} clients",
        measured.skills
    );
    Budget::new(what, GET_SKILL, ratio(), " ×")
}

/// With one client: with more, both wait for the cores.
fn find_skills(measured: &Measured) -> Budget {
    let p50 = |what| Some(find(measured, what, 1)?.p50_ms);
    let ratio = || Some(p50(What::FindSkills)? / p50(What::Raw)?);
    let what = format!(
        "find_skills beside embedding and a raw search, p50, {} skills, 1 client",
        measured.skills
    );
    Budget::new(what, FIND_SKILLS, ratio(), " ×")
}

fn idle(measured: &Measured) -> Budget {
    let what = format!("idle memory of standalone, {} skills", measured.skills);
    Budget::new(what, IDLE_MIB, measured.idle.map(|memory| memory.resident_mib), " MiB")
}
