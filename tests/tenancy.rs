//! Organizations are walls: what one has, another never gets, whichever way it tries; and what it is told
//! is what it would be told of something that does not exist.
mod rows;
mod tries;
mod world;

use std::collections::HashMap;

use futures::{StreamExt, stream};
use serde_json::json;
use tests::{Dice, Layout, Stack};

use tries::ASKS;
use world::{Attacker, Thing, World};

const TRIES: usize = 10_000;
const AT_ONCE: usize = 16;

/// One try: which way, of what, and what that is compared with.
struct Try {
    ask: usize,
    about: String,
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn ten_thousand_random_tries_get_nothing(pool: sqlx::PgPool) {
    let stack = Stack::laid_out(&pool, Layout::OneProcess).await;
    try_all(&stack, TRIES).await;
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn the_same_between_services_apart_and_doubled(pool: sqlx::PgPool) {
    let stack = Stack::laid_out(&pool, Layout::Doubled).await;
    try_all(&stack, TRIES / 10).await;
}

/// What kind of id it is, where it is one.
fn form(about: &str) -> String {
    let id = about.split_once('_').filter(|(kind, digits)| kind.len() == 3 && digits.len() == 32);
    id.map_or("", |(kind, _)| kind).to_owned()
}

async fn try_all(stack: &Stack, count: usize) {
    let mut dice = Dice::thrown();
    let world = World::make(stack).await;
    let before = world.prey_sees().await;
    let attacker = Attacker::new(stack, &world);
    let mut missing = HashMap::new();
    for (ask, (thing, how)) in ASKS.iter().enumerate() {
        for fake in world.fakes(*thing, &mut dice) {
            let answer = how(&attacker, fake.clone()).await.replace(&fake, "…");
            missing.insert((ask, form(&fake)), answer);
        }
    }
    let tries: Vec<Try> = (0..count)
        .map(|_| {
            let ask = dice.below(ASKS.len());
            Try { ask, about: world.target(ASKS[ask].0, &mut dice) }
        })
        .collect();
    stream::iter(tries)
        .for_each_concurrent(AT_ONCE, async |Try { ask, about }| {
            let (thing, how) = ASKS[ask];
            let answer = how(&attacker, about.clone()).await;
            world.check_no_leak(&answer.replace(&about, "…"), ask);
            match thing {
                Thing::SharedSlug => assert!(answer.contains(world::OWN), "{ask}: {answer}"),
                Thing::Words => {}
                _ => {
                    let expected = &missing[&(ask, form(&about))];
                    assert_eq!(&answer.replace(&about, "…"), expected, "way {ask}: {about}");
                }
            }
        })
        .await;
    assert_eq!(world.prey_sees().await, before);
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn an_organizations_slug_is_taken_once_and_its_skills_slugs_are_its_own(pool: sqlx::PgPool) {
    let stack = Stack::on(&pool).await;
    let world = World::make(&stack).await;
    let again = json!({ "slug": "acme", "name": "Acme" });
    stack.operator().post("/v1/organizations", &again).await.failed(409);
    for (owner, whose) in [(&world.own.owner, world::OWN), (&world.prey.owner, world::SECRET)] {
        let got = owner.get("/v1/skills/deploy").await.ok();
        assert!(got["body"].as_str().unwrap().contains(whose), "{got}");
        assert_eq!(got["skill"]["name"], "deploy");
    }
}
