// Package stages drives the residency pass: once a tick, each consumer of
// assets gets a look at what it still waits for, under one meter.
//
// A consumer is a component plus one [Row]. The driver, not the row, applies
// the budget, the filter, the warm-up gate, the rule of minimum progress, the
// debt flag and the hand-over of cold assets to the workers. Nothing here
// names a consumer.
//
// # The turn
//
// A [Cursor] says where the next slice enters the table. A slice that runs
// out parks it on the stage it stopped in. One turn from any cursor visits
// every stage once. Stages do not depend on each other's order.
//
// # Arche
//
// A stage must leave its world unlocked: no query survives a yield. Collect
// entities into reused scratch, close the query, then work by entity and
// Alive. The driver checks after each stage and names the one that left a
// query open.
package stages
