// Package sqs is the part of Amazon SQS that the platform uses, in memory and at the level of its API: it answers the
// AWS JSON protocol, so the unmodified SDK runs over it, either in process (Engine is an http.RoundTripper) or over a
// port (it is an http.Handler). Clock, ids and the choices a distributed queue leaves open come from Config, so that a
// simulator decides all of them.
//
// Standard queues with visibility, delays, receive counts, redrive, retention, fair queues, long polling, batches and
// the limits follow the API reference and the developer guide. Only the local run and tests import it.
//
// # Differences from the AWS documentation
//
// Stricter, so that code which works here works there:
//   - Counts are exact and a receive never misses a visible message, where AWS samples and says "approximate".
//   - Except for fair queues, a queue delivers in order of arrival, and once, unless Config.Pick, Duplicate or
//     Redeliver say otherwise.
//   - An outdated receipt handle never deletes ("might not be deleted"), once the message has been received again.
//   - A message goes to its dead-letter queue at the receive that would exceed maxReceiveCount, and that receive is not
//     counted. ApproximateReceiveCount continues to count there.
//
// Refused with an error instead of ignored: any operation, attribute or request member that is not implemented. Among
// them are FIFO queues with their deduplication, changing, listing, purging and deleting queues, tags, permissions,
// encryption, message attributes and message move tasks.
//
// Fair queues: while one message group is noisy, messages of quiet groups come first. A group is noisy that has more
// than 10 % and at least 30 of the messages in flight, or took more than 10 % of the time spent on them. AWS remembers
// processing time of the recent past, and keeps a group noisy until its backlog is gone; here only what is in flight at
// the moment counts.
//
// Left out: request signatures and permissions are not checked; there is one account and one region; QueueUrl takes the
// host that the request named. With a log (Open) receives are not kept.
package sqs
