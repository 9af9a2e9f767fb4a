// Package dynamodb is a DynamoDB in memory, for tests and the local run, which keeps its data in a log. It speaks the
// service's JSON protocol, so that an unmodified client works over it: as http.RoundTripper without a socket, as
// http.Handler over a port.
//
// It has the operations of a single-table design: tables with global secondary indexes, single writes and reads, Query,
// Scan, batches, transactions, time to live and streams, with the expressions in full. Parameters and operations it
// does not have are refused by name, never ignored.
//
// A differential test compares it with DynamoDB Local and lists the known differences.
//
// # Where it differs from the AWS documentation
//
//   - Of the legacy parameters it takes KeyConditions on Query, because guregu/dynamo uses it. All others (Expected,
//     AttributesToGet, AttributeUpdates, QueryFilter, …) are refused.
//   - Not built: local secondary indexes, UpdateTable, PartiQL, backups, global tables, tags, encryption settings,
//     vector indexes. They are refused.
//   - CreateTable and DeleteTable are done when they answer; a table is never CREATING. The same holds for
//     UpdateTimeToLive, which can be called again at once.
//   - Each stream has one shard, which is never split. Reading it costs nothing. With a log (Open) a stream is empty at
//     the start, and with Config.OneReader records are dropped as soon as the reader asks for what follows them.
//   - There are no throughput limits: nothing is ever throttled. Faults are made in the transport, by another package.
//   - Transactions never conflict by themselves, because they are done one after another; Config.Conflict makes them
//     conflict.
//   - With UPDATED_OLD and UPDATED_NEW a nested path returns its whole top-level attribute, as DynamoDB Local does.
//   - A ConditionCheck is charged two read units per 4 KB. The guide does not say what it costs; DynamoDB Local charges
//     the same.
//   - Eventually consistent reads of the table see every write at once. Only indexes lag, by Config.IndexLag.
//   - An update that does not fit its item, within a transaction, is a ValidationException of the whole, as in DynamoDB
//     Local.
//   - Items that expired are deleted TTLLag after their time, when the next request arrives; the stream record carries
//     that moment.
//   - Items of equal index key are in the order of their primary keys; the guide leaves the order open.
//   - Table and index sizes in DescribeTable are exact and current.
package dynamodb
