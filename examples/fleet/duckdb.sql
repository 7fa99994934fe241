-- Questions about the results of `manifest fleet lint`, in the folders `before` and `after`:
--     duckdb < duckdb.sql

-- Manifests that fail, by provider.
SELECT provider_id, count(*) AS manifests, count(*) FILTER (WHERE fails) AS failing
FROM read_parquet('after/*.parquet')
GROUP BY provider_id
ORDER BY failing DESC, provider_id
LIMIT 20;

-- Provider ids that several manifests have.
SELECT provider_id, count(*) AS manifests, min(uri) AS example
FROM read_parquet('after/*.parquet')
WHERE provider_id IS NOT NULL
GROUP BY provider_id
HAVING count(*) > 1
ORDER BY manifests DESC, provider_id
LIMIT 20;

-- The trend of each rule: findings before and after.
SELECT rule, count(*) FILTER (WHERE run = 'before') AS before, count(*) FILTER (WHERE run = 'after') AS after
FROM (
  SELECT 'before' AS run, unnest(findings).rule AS rule FROM read_parquet('before/*.parquet')
  UNION ALL
  SELECT 'after', unnest(findings).rule FROM read_parquet('after/*.parquet')
)
GROUP BY rule
ORDER BY after DESC, rule;

-- Manifests that newly fail, with their errors.
SELECT uri, list_distinct(list(finding.rule)) AS rules
FROM (
  SELECT after.uri, unnest(after.findings) AS finding
  FROM read_parquet('after/*.parquet') AS after
  JOIN read_parquet('before/*.parquet') AS before USING (uri)
  WHERE after.fails AND NOT before.fails
)
WHERE finding.severity = 'error'
GROUP BY uri
ORDER BY uri
LIMIT 20;
