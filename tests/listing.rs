//! Lists, page by page.
use std::collections::BTreeMap;

use serde_json::Value;
use sqlx::PgPool;
use tests::{Client, Layout, Skill, Stack};

const THERE: usize = 1_000;
const AT_ONCE: usize = 250;

tests::over_every_layout!(
    a_cursor_of_another_list_is_refused,
    what_a_list_does_not_know_is_refused_by_name,
    a_page_has_as_many_as_asked_for,
);

fn there(number: usize) -> Skill {
    Skill::new(&format!("there-{number:04}"))
}

async fn page(client: &Client, cursor: &str) -> (Vec<String>, Option<String>) {
    let page = client.get(&format!("/v1/skills?limit=37{cursor}")).await.ok();
    let skills = page["skills"].as_array().unwrap().iter();
    let slugs = skills.map(|skill| skill["slug"].as_str().unwrap().to_owned()).collect();
    (slugs, page["next_cursor"].as_str().map(str::to_owned))
}

#[sqlx::test(migrator = "database::MIGRATOR")]
async fn a_thousand_skills_are_each_seen_once_while_others_are_published(pool: PgPool) {
    let stack = Stack::laid_out(&pool, Layout::Doubled).await;
    let owner = stack.organization("acme").await.owner;
    for first in (0..THERE).step_by(AT_ONCE) {
        let skills: Vec<_> = (first..first + AT_ONCE).map(there).collect();
        owner.import(&skills).await;
    }
    let (mut seen, mut cursor, mut number) = (BTreeMap::new(), String::new(), 0);
    loop {
        let (slugs, next) = page(&owner, &cursor).await;
        for slug in slugs {
            *seen.entry(slug).or_insert(0) += 1;
        }
        let Some(next) = next else { break };
        cursor = format!("&cursor={next}");
        let changed = there(number * 31 % THERE).saying("Changed.\n");
        let others =
            ["a-new", "there-05-new", "z-new"].map(|s| Skill::new(&format!("{s}-{number}")));
        owner.import(&[&others[..], &[changed]].concat()).await;
        number += 1;
    }
    for number in 0..THERE {
        assert_eq!(seen.get(&there(number).slug), Some(&1), "{}", there(number).slug);
    }
    assert!(number > 20 && seen.values().all(|times| *times == 1), "{seen:?}");
}

async fn a_cursor_of_another_list_is_refused(stack: &Stack) {
    let (acme, bravo) = (stack.organization("acme").await, stack.organization("bravo").await);
    for organization in [&acme, &bravo] {
        let skills = ["one", "two", "three"].map(Skill::new);
        organization.owner.import_as("prod", &skills).await;
        organization.key(&["skills:read"]).await;
    }
    let first = async |client: &Client, path: &str| {
        let page = client.get(path).await.ok();
        page["next_cursor"].as_str().unwrap().to_owned()
    };
    let own = first(&acme.owner, "/v1/skills?limit=1").await;
    acme.owner.get(&format!("/v1/skills?limit=2&cursor={own}")).await.ok();
    let edited = format!("{}{}", if own.starts_with('A') { "B" } else { "A" }, &own[1..]);
    let wrong = [
        ("of another filter", first(&acme.owner, "/v1/skills?limit=1&tag=prod").await),
        ("of another list", first(&acme.owner, "/v1/keys?limit=1").await),
        ("of another organization", first(&bravo.owner, "/v1/skills?limit=1").await),
        ("edited", edited),
        ("cut", own[..own.len() - 2].to_owned()),
        ("made up", "AAAAAAAAAAAAAAAAAAAA".to_owned()),
        ("no Base64", "%25%25".to_owned()),
    ];
    for (what, cursor) in wrong {
        let refused = acme.owner.get(&format!("/v1/skills?cursor={cursor}")).await.failed(400);
        assert!(refused.contains("`cursor`"), "{what}: {refused}");
    }
}

async fn what_a_list_does_not_know_is_refused_by_name(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    for list in ["skills", "keys", "calls", "workspaces"] {
        for (parameter, value) in
            [("sort", "name"), ("order_by", "slug"), ("owner", "team"), ("Tag", "x")]
        {
            let path = format!("/v1/{list}?{parameter}={value}");
            let refused = owner.get(&path).await.failed(400);
            assert!(refused.contains(&format!("`{parameter}`")), "{path}: {refused}");
        }
    }
    let refused = owner.get("/v1/skills?tag=Prod").await.failed(400);
    assert!(refused.contains("`Prod`"), "{refused}");
}

async fn a_page_has_as_many_as_asked_for(stack: &Stack) {
    let owner = stack.organization("acme").await.owner;
    let skills: Vec<_> = (0..201).map(there).collect();
    owner.import(&skills).await;
    let count = |page: &Value| page["skills"].as_array().unwrap().len();
    for (asked, given) in [("", 50), ("?limit=1", 1), ("?limit=200", 200)] {
        let page = owner.get(&format!("/v1/skills{asked}")).await.ok();
        assert_eq!(count(&page), given, "{asked}");
        assert!(page["next_cursor"].is_string());
    }
    for wrong in ["0", "201", "-1"] {
        let refused = owner.get(&format!("/v1/skills?limit={wrong}")).await.failed(400);
        assert_eq!(refused, format!("`limit` is {wrong}, allowed are 1 to 200"));
    }
    assert_eq!(owner.list_all("/v1/skills", "skills").await.len(), 201);
}
