-- What search has yet to be told. A row says only which skill changed; what is sent is read when it is
-- sent, so that the newest state wins. A row goes when search has made it durable.
CREATE TABLE registry.outbox (
    sequence      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id        uuid        NOT NULL REFERENCES registry.organization,
    skill_id      uuid        NOT NULL,
    queued_at     timestamptz NOT NULL,
    -- Queued because the whole index is filled again: after what is newly published.
    is_refill     boolean     NOT NULL DEFAULT false,
    -- Who sends it, and until when nobody else may.
    claimed_by    uuid,
    claimed_until timestamptz,
    attempts      integer     NOT NULL DEFAULT 0,
    retry_at      timestamptz,
    -- Why search will not take it, whatever is done; such a row is kept, and named.
    poison        text
);
CREATE INDEX outbox_by_skill ON registry.outbox (skill_id);
CREATE INDEX outbox_open ON registry.outbox (is_refill, sequence) WHERE poison IS NULL;

-- The index that the rows so far went to. When another answers, all of it is sent again.
CREATE TABLE registry.search_index (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    index_id  text    NOT NULL
);

ALTER TABLE registry.outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry.outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY org ON registry.outbox TO loadout_app
    USING (org_id = current_setting('loadout.org')::uuid);
CREATE POLICY everyone ON registry.outbox TO loadout_system USING (true);
GRANT SELECT, INSERT ON registry.outbox TO loadout_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON registry.outbox TO loadout_system;
GRANT SELECT, INSERT, UPDATE ON registry.search_index TO loadout_system;
