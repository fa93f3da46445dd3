-- One call of a tool, as the gateway saw it. The id is the gateway's, so that a batch sent twice counts once.
CREATE TABLE registry.call (
    id            uuid        NOT NULL,
    -- Always the transaction's organization, see below: a reference would be looked up for every single call.
    org_id        uuid        NOT NULL DEFAULT current_setting('loadout.org')::uuid,
    at            timestamptz NOT NULL,
    tool          text        NOT NULL,
    surface       text        NOT NULL,
    key_id        uuid        NOT NULL,
    workspace_id  uuid        NOT NULL,
    member_id     uuid,
    skill_id      uuid,
    revision_id   uuid,
    path          text,
    tag           text,
    outcome       text        NOT NULL,
    duration_us   bigint      NOT NULL CHECK (duration_us >= 0),
    query         text,
    shown_skill_ids uuid[]    NOT NULL,
    PRIMARY KEY (org_id, id)
);

ALTER TABLE registry.call ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.call FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.call TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);
GRANT SELECT, INSERT ON registry.call TO loadout_app;
