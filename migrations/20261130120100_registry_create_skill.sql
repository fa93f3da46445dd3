-- A skill is a stable id and slug. What it says is in its revisions, which never change.
CREATE TABLE registry.skill (
    id           uuid        PRIMARY KEY,
    org_id       uuid        NOT NULL DEFAULT current_setting('loadout.org')::uuid
                             REFERENCES registry.organization,
    workspace_id uuid        NOT NULL,
    -- The member whose own it is; null where the workspace shares it.
    member_id    uuid,
    slug         text        NOT NULL COLLATE "C",
    -- The revision that it is now; its number grows by one with each.
    revision_id  uuid        NOT NULL,
    archived_at  timestamptz,
    created_at   timestamptz NOT NULL,
    UNIQUE (org_id, id),
    UNIQUE NULLS NOT DISTINCT (org_id, workspace_id, member_id, slug),
    FOREIGN KEY (org_id, workspace_id) REFERENCES registry.workspace (org_id, id),
    FOREIGN KEY (org_id, member_id) REFERENCES registry.member (org_id, id)
);

CREATE TABLE registry.revision (
    id             uuid        PRIMARY KEY,
    org_id         uuid        NOT NULL DEFAULT current_setting('loadout.org')::uuid
                               REFERENCES registry.organization,
    skill_id       uuid        NOT NULL,
    version        integer     NOT NULL CHECK (version > 0),
    canonical_hash bytea       NOT NULL CHECK (length(canonical_hash) = 32),
    name           text        NOT NULL,
    description    text        NOT NULL,
    triggers       text[]      NOT NULL,
    front_matter   jsonb       NOT NULL,
    -- SKILL.md as it came, and the byte at which its body begins.
    instructions   bytea       NOT NULL,
    body_offset    integer     NOT NULL,
    main_path      text        NOT NULL,
    main_sha256    bytea       NOT NULL CHECK (length(main_sha256) = 32),
    warnings       jsonb       NOT NULL,
    key_id         uuid,
    published_at   timestamptz NOT NULL,
    UNIQUE (skill_id, version),
    UNIQUE (org_id, skill_id, id),
    FOREIGN KEY (org_id, skill_id) REFERENCES registry.skill (org_id, id) ON DELETE CASCADE
);
ALTER TABLE registry.skill ADD FOREIGN KEY (org_id, id, revision_id)
    REFERENCES registry.revision (org_id, skill_id, id) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE registry.resource (
    id          uuid    PRIMARY KEY,
    org_id      uuid    NOT NULL DEFAULT current_setting('loadout.org')::uuid
                        REFERENCES registry.organization,
    revision_id uuid    NOT NULL REFERENCES registry.revision ON DELETE CASCADE,
    path        text    NOT NULL COLLATE "C",
    kind        text    NOT NULL CHECK (kind IN ('doc', 'script', 'asset')),
    role        text    NOT NULL CHECK (role IN
                        ('reference', 'example', 'template', 'document', 'artifact', 'script')),
    size        bigint  NOT NULL CHECK (size >= 0),
    sha256      bytea   NOT NULL CHECK (length(sha256) = 32),
    is_text     boolean NOT NULL,
    UNIQUE (revision_id, path)
);

CREATE TABLE registry.tag (
    org_id      uuid        NOT NULL DEFAULT current_setting('loadout.org')::uuid
                            REFERENCES registry.organization,
    skill_id    uuid        NOT NULL,
    name        text        NOT NULL COLLATE "C",
    revision_id uuid        NOT NULL,
    moved_at    timestamptz NOT NULL,
    PRIMARY KEY (skill_id, name),
    FOREIGN KEY (org_id, skill_id, revision_id)
        REFERENCES registry.revision (org_id, skill_id, id) ON DELETE CASCADE
);

-- Revisions and resources never change: the app may add and read them, no more.
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.skill, registry.tag TO loadout_app;
GRANT SELECT, INSERT ON registry.revision, registry.resource TO loadout_app;
GRANT SELECT ON registry.skill TO loadout_system;

ALTER TABLE registry.skill ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.skill FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.skill TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);
-- Only to ask which skills there are, when the whole index is made anew.
CREATE POLICY everyone ON registry.skill FOR SELECT TO loadout_system USING (true);
ALTER TABLE registry.revision ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.revision FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.revision TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);
ALTER TABLE registry.resource ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.resource FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.resource TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);
ALTER TABLE registry.tag ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.tag FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.tag TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);

-- Tells every replica which organization's skills changed, in the moment of the commit.
CREATE FUNCTION registry.announce_skill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('registry_skill', coalesce(NEW.org_id, OLD.org_id)::text);
    RETURN NULL;
END
$$;
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON registry.skill
    FOR EACH ROW EXECUTE FUNCTION registry.announce_skill();
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON registry.tag
    FOR EACH ROW EXECUTE FUNCTION registry.announce_skill();
