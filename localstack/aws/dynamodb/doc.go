// Package dynamodb is a DynamoDB in memory, for tests and the local run, which keeps its data in a log. It speaks the
// service's JSON protocol, so an unmodified client works over it: as http.RoundTripper without a socket, as
// http.Handler over a port. It has tables with global secondary indexes, single writes and reads, Query, Scan, batches,
// transactions, time to live and streams, with all expressions. A differential test compares it with DynamoDB Local.
//
// # Where it differs from the AWS documentation
//
//   - It refuses by name what it lacks: local secondary indexes, UpdateTable, PartiQL, backups, global tables, tags,
//     encryption settings, vector indexes, and legacy parameters but KeyConditions on Query, which guregu/dynamo uses.
//   - CreateTable, DeleteTable and UpdateTimeToLive are done when they answer: a table is never CREATING, and time to
//     live can be changed again at once.
//   - A stream has one shard, which costs nothing. With a log (Open) it starts empty; with Config.OneReader it drops
//     records once the reader asks for what follows.
//   - Nothing is throttled, and transactions conflict only by Config.Conflict. Another package makes faults in the
//     transport.
//   - With UPDATED_OLD and UPDATED_NEW a nested path returns its whole top-level attribute, as DynamoDB Local does.
//   - A ConditionCheck costs two read units per 4 KB, as in DynamoDB Local; the guide does not say what it costs.
//   - Eventually consistent reads of the table see every write at once. Only indexes lag, by Config.IndexLag.
//   - In a transaction, an update that does not fit its item is a ValidationException of all, as in DynamoDB Local.
//   - Expired items are deleted at the first request TTLLag after their time, which the stream record carries.
//   - Items of equal index key are in the order of their primary keys; the guide leaves the order open.
//   - Table and index sizes in DescribeTable are exact and current.
package dynamodb
