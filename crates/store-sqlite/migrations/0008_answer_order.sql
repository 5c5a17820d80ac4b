-- The order in which the log stored answers. Times do not give it, because clocks are set back, and
-- neither does log_index, because a decision that returns to what it was keeps its index.
ALTER TABLE answers ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- Rows were only ever added in the order of the log.
UPDATE answers SET position = rowid;
DROP INDEX answers_by_domain;
CREATE INDEX answers_by_domain ON answers (domain, position, sha256);
CREATE INDEX answers_by_position ON answers (position, sha256);
