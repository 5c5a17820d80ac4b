-- Over every column of a reading but its record (ComparedReading::fingerprint), so that readings are compared without
-- unpacking their records. NULL in rows from before: then the whole row is read.
ALTER TABLE readings ADD COLUMN compared_fingerprint BLOB
    CHECK (compared_fingerprint IS NULL OR length(compared_fingerprint) = 32);
