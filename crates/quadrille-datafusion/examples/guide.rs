//! The program of the page about joins in SQL, `docs/guide.md`.

use datafusion::assert_batches_eq;
use datafusion::prelude::SessionContext;
use quadrille_datafusion::BoxJoinRule;

#[tokio::main]
async fn main() -> datafusion::common::Result<()> {
    let context = SessionContext::new();
    BoxJoinRule::new().register(&context);

    for table in [
        "CREATE TABLE zones (name TEXT, x0 DOUBLE, y0 DOUBLE, x1 DOUBLE, y1 DOUBLE) AS VALUES
             ('harbour', 0.0, 0.0, 40.0, 30.0), ('market', 35.0, 10.0, 60.0, 50.0), ('park', 80.0, 80.0, 99.0, 99.0)",
        "CREATE TABLE cars (id BIGINT, x DOUBLE, y DOUBLE) AS VALUES
             (1, 10.0, 10.0), (2, 36.0, 20.0), (3, 60.0, 50.0), (4, 70.0, 5.0), (5, 71.0, 9.0)",
    ] {
        context.sql(table).await?.collect().await?;
    }

    // Points in boxes. Zones without cars stay, as the join is a left one.
    let cars_in_zones = "SELECT z.name, count(c.id) AS cars
        FROM zones z LEFT JOIN cars c
        ON c.x BETWEEN z.x0 AND z.x1 AND c.y BETWEEN z.y0 AND z.y1
        GROUP BY z.name ORDER BY z.name";
    assert_batches_eq!(
        [
            "+---------+------+",
            "| name    | cars |",
            "+---------+------+",
            "| harbour | 2    |",
            "| market  | 2    |",
            "| park    | 0    |",
            "+---------+------+",
        ],
        &context.sql(cars_in_zones).await?.collect().await?
    );

    // Boxes that overlap: on each axis, one begins before the other ends. A pair comes once.
    let overlaps = "SELECT a.name, b.name AS other FROM zones a JOIN zones b
        ON a.x0 <= b.x1 AND b.x0 <= a.x1 AND a.y0 <= b.y1 AND b.y0 <= a.y1 AND a.name < b.name";
    assert_eq!(context.sql(overlaps).await?.count().await?, 1);

    // Points near points: a box around each, then the distance itself.
    let near = "SELECT a.id, b.id AS other FROM cars a JOIN cars b
        ON b.x BETWEEN a.x - 5 AND a.x + 5 AND b.y BETWEEN a.y - 5 AND a.y + 5 AND a.id < b.id
        AND (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) <= 25";
    assert_eq!(context.sql(near).await?.count().await?, 1);

    // Cars in no zone at all.
    let outside = "SELECT c.id FROM cars c WHERE NOT EXISTS (SELECT 1 FROM zones z
        WHERE c.x BETWEEN z.x0 AND z.x1 AND c.y BETWEEN z.y0 AND z.y1)";
    assert_eq!(context.sql(outside).await?.count().await?, 2);

    // Does an index answer it?
    for query in [cars_in_zones, overlaps, near, outside] {
        let plan = context.sql(query).await?.create_physical_plan().await?;
        let plan = datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string();
        assert!(plan.contains("BoxJoinExec"), "{plan}");
    }
    Ok(())
}
