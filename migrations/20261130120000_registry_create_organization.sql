-- Two roles, shared by every database of the cluster. Neither logs in, neither bypasses row-level
-- security: the user that the services connect as is a member of both.
--   loadout_app     sees the rows of the organization that the transaction names, and no other
--   loadout_system  sees the few tables that work across organizations needs, whole
DO $$
BEGIN
    CREATE ROLE loadout_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
DO $$
BEGIN
    CREATE ROLE loadout_system NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

CREATE SCHEMA registry;
GRANT USAGE ON SCHEMA registry TO loadout_app, loadout_system;

CREATE TABLE registry.organization (
    id         uuid        PRIMARY KEY,
    slug       text        NOT NULL UNIQUE,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE registry.workspace (
    id         uuid        PRIMARY KEY,
    org_id     uuid        NOT NULL DEFAULT current_setting('loadout.org')::uuid
                           REFERENCES registry.organization,
    slug       text        NOT NULL,
    name       text        NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (org_id, slug),
    UNIQUE (org_id, id)
);

CREATE TABLE registry.member (
    id         uuid        PRIMARY KEY,
    org_id     uuid        NOT NULL DEFAULT current_setting('loadout.org')::uuid
                           REFERENCES registry.organization,
    name       text        NOT NULL,
    role       text        NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    created_at timestamptz NOT NULL,
    UNIQUE (org_id, id)
);

CREATE TABLE registry.key (
    id            uuid        PRIMARY KEY,
    org_id        uuid        NOT NULL DEFAULT current_setting('loadout.org')::uuid
                              REFERENCES registry.organization,
    workspace_id  uuid        NOT NULL,
    member_id     uuid,
    name          text        NOT NULL,
    secret_sha256 bytea       NOT NULL CHECK (length(secret_sha256) = 32),
    scopes        text[]      NOT NULL CHECK (cardinality(scopes) > 0),
    tools         text[]      NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    revoked_at    timestamptz,
    FOREIGN KEY (org_id, workspace_id) REFERENCES registry.workspace (org_id, id),
    FOREIGN KEY (org_id, member_id) REFERENCES registry.member (org_id, id)
);
CREATE INDEX key_by_org ON registry.key (org_id, id DESC);

-- An organization sees its own rows. Whom a key stands for is asked before the organization is known, and
-- an operator makes organizations: both are the system role's.
ALTER TABLE registry.organization ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.organization FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.organization TO loadout_app
    USING (id = current_setting('loadout.org')::uuid);
CREATE POLICY everyone ON registry.organization TO loadout_system USING (true);

ALTER TABLE registry.workspace ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.workspace FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.workspace TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);
CREATE POLICY everyone ON registry.workspace TO loadout_system USING (true);

ALTER TABLE registry.member ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.member FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.member TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);

ALTER TABLE registry.key ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.key FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.key TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);
CREATE POLICY everyone ON registry.key FOR SELECT TO loadout_system USING (true);

GRANT SELECT ON registry.organization TO loadout_app;
GRANT SELECT, INSERT ON registry.organization TO loadout_system;
GRANT SELECT, INSERT ON registry.workspace TO loadout_app;
GRANT SELECT ON registry.workspace TO loadout_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.member TO loadout_app;
GRANT SELECT, INSERT, UPDATE ON registry.key TO loadout_app;
GRANT SELECT ON registry.key TO loadout_system;
