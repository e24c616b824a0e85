//! The answers are those of the nested loop join.

use datafusion::common::Result;
use datafusion::physical_plan::{collect, displayable};
use proptest::prelude::*;
use quadrille_datafusion::BoxJoinRule;
use tokio::runtime::Builder;

use crate::cases::{Case, case};
use crate::tables::{answer, has_box_join, plain, plan_of, rows_of, ruled};

/// The answers of the engine alone and of the engine with the rule.
async fn both(case: &Case) -> Result<[Vec<String>; 2]> {
    let alone = plain(case.config(), &case.tables)?;
    let ruled = ruled(case.config(), &case.tables, BoxJoinRule::new().with_left_rows(case.left_rows))?;
    let plan = plan_of(&ruled, &case.query).await?;
    assert!(has_box_join(&plan), "{}\n{}", case.query, displayable(plan.as_ref()).indent(false));
    Ok([answer(&alone, &case.query).await?, rows_of(&collect(plan, ruled.task_ctx()).await?)?])
}

proptest! {
    #[test]
    fn are_those_of_the_nested_loop(case in case()) {
        let runtime = Builder::new_current_thread().build().expect("a runtime needs nothing");
        let [expected, found] = runtime.block_on(both(&case)).expect("no query fails");
        prop_assert_eq!(found, expected);
    }
}
