// Package dynamodb is a DynamoDB in memory, for tests, faults and an instant
// local run, which keeps it in a log. It speaks the service's JSON protocol, so that an unmodified
// client works over it: as http.RoundTripper without a socket, as http.Handler
// over a port.
//
// It has the operations of a single-table design: tables with global secondary
// indexes, single writes and reads, Query, Scan, batches, transactions, time to
// live and streams, with the expressions in full. Parameters and operations it
// does not have are refused by name, never ignored.
//
// A differential test holds it to DynamoDB Local; where the two are known to
// differ the test says so.
//
// # Where it differs from the AWS documentation
//
//   - Of the parameters of before expressions it takes KeyConditions on Query,
//     since guregu/dynamo writes its queries so. All others (Expected,
//     AttributesToGet, AttributeUpdates, QueryFilter, …) are refused.
//   - Not built: local secondary indexes, UpdateTable, PartiQL, backups, global
//     tables, tags, encryption settings, vector indexes. They are refused.
//   - CreateTable and DeleteTable are done when they answer; a table is never
//     CREATING. UpdateTimeToLive likewise, and it can be called again at once.
//   - Each stream has one shard, which is never split. Reading it costs nothing.
//     With a log (Open) a stream is empty at the start, and with Config.OneReader
//     records are dropped as soon as the reader asks for what follows them.
//   - There are no throughput limits: nothing is ever throttled. Faults are made
//     in the transport, by another package.
//   - Transactions never meet by themselves, for they are done one after
//     another; Config.Conflict makes them meet.
//   - With UPDATED_OLD and UPDATED_NEW a nested path returns its whole top-level
//     attribute, as DynamoDB Local does.
//   - A ConditionCheck is charged two read units per 4 KB. The guide does not say
//     what it costs; DynamoDB Local charges as much.
//   - Eventually consistent reads of the table see every write at once. Only
//     indexes lag, by Config.IndexLag.
//   - An update that does not fit its item, within a transaction, is a
//     ValidationException of the whole, as in DynamoDB Local.
//   - Items that expired are deleted TTLLag after their time, when the next
//     request arrives; the stream record carries that moment.
//   - Items of equal index key stand in the order of their primary keys; the
//     guide leaves the order open.
//   - Table and index sizes in DescribeTable are exact and current.
package dynamodb
