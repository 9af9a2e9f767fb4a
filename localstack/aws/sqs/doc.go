// Package sqs is the in-memory part of Amazon SQS that the platform uses, for the unmodified SDK over the AWS JSON
// protocol. Make an Engine with New, or with Open to keep a log, and use it in process as http.RoundTripper or behind a
// port as http.Handler. Config sets the clock, the ids and the choices of a distributed queue, for simulations.
// Standard queues with visibility, delays, receive counts, redrive, retention, fair queues, long polling, batches and
// limits follow the API reference and the developer guide. Only the local run and tests import this package.
//
// # Differences from the AWS documentation
//
// The engine is stricter in these points, so that code that works here works at AWS:
//   - Counts are exact and a receive never misses a visible message, where AWS samples and says "approximate".
//   - Queues that are not fair deliver each message once and in order of arrival, unless Config.Pick, Duplicate or
//     Redeliver changes that.
//   - Once a message has been received again, its outdated receipt handle never deletes it. AWS says only that the
//     message "might not be deleted".
//   - The receive that would exceed maxReceiveCount moves the message to its dead-letter queue and is not counted.
//     ApproximateReceiveCount continues to count there.
//
// Unsupported operations, attributes and request members are refused: FIFO queues with their deduplication, changing,
// listing, purging and deleting queues, tags, permissions, encryption, message attributes and message move tasks.
//
// Fair queues deliver messages of quiet groups first. A group is noisy with more than 10 % and at least 30 of the
// messages in flight, or with more than 10 % of the time spent on them. AWS remembers recent processing time, and keeps
// a group noisy until its backlog is gone. Here only the messages in flight count.
//
// The engine does not check request signatures and permissions. It has one account and one region. QueueUrl repeats the
// host that the request named. The log (Open) does not keep receives.
package sqs
