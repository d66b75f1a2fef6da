COMMENT ON COLUMN replica.state IS
    '1 valid, 2 being written, 3 being copied, 4 stale, 5 corrupt, 6 lost: its node had the last good copy and does not have it now';
