-- What is removed after its time is found by its time.
CREATE INDEX readings_by_time ON readings (observed_at);
CREATE INDEX readings_unreached ON readings (observed_at) WHERE completed = 0;
-- Whether a domain was ever reached.
CREATE INDEX readings_completed ON readings (domain) WHERE completed = 1;
