CREATE STREAM my plugs (id BIGINT);
