// Package dynamodb is an in-memory DynamoDB for tests and the local run. It can keep its data in a log. Make an Engine
// with New, or with Open to keep a log, and give it to an unmodified AWS client, either as http.RoundTripper without a
// socket or as http.Handler behind a port. It supports tables with global secondary indexes, single writes and reads,
// Query, Scan, batches, transactions, time to live, streams and all expressions. A differential test compares it with
// DynamoDB Local.
//
// # Differences from the AWS documentation
//
//   - It refuses unsupported features by name: local secondary indexes, UpdateTable, PartiQL, backups, global tables,
//     tags, encryption settings, vector indexes, and legacy parameters. Only KeyConditions on Query is supported,
//     because guregu/dynamo uses it.
//   - CreateTable, DeleteTable and UpdateTimeToLive are done when they answer: a table is never CREATING, and time to
//     live can be changed again at once.
//   - A stream has one shard. Reading a stream consumes no read units. With a log (Open) the stream starts empty; with
//     Config.OneReader it drops records once the reader asks for later ones.
//   - Nothing is throttled, and only Config.Conflict makes transactions conflict. Another package makes faults in the
//     transport.
//   - With UPDATED_OLD and UPDATED_NEW a nested path returns its whole top-level attribute, as DynamoDB Local does.
//   - A ConditionCheck costs two read units per 4 KB, as in DynamoDB Local; the guide does not state its cost.
//   - Eventually consistent reads of the table see every write at once. Only indexes lag, by Config.IndexLag.
//   - An update that does not fit its item fails its transaction with a ValidationException, as in DynamoDB Local.
//   - Expired items are deleted by the first request that comes at least TTLLag after their expiry time.
//   - Items with equal index keys are sorted by their primary keys; the guide leaves their order open.
//   - Table and index sizes in DescribeTable are exact and current.
package dynamodb
