// Package sqs is the platform's part of Amazon SQS in memory. It answers the AWS JSON protocol, so the unmodified SDK
// runs over it, in process (Engine is an http.RoundTripper) or over a port (an http.Handler). Config decides clock, ids
// and the choices of a distributed queue, for simulations. Standard queues with visibility, delays, receive counts,
// redrive, retention, fair queues, long polling, batches and limits follow the API reference and the developer guide.
// Only the local run and tests import it.
//
// # Differences from the AWS documentation
//
// Stricter, so that code which works here works there:
//   - Counts are exact and a receive never misses a visible message, where AWS samples and says "approximate".
//   - Queues that are not fair deliver in order of arrival, and once, but for Config.Pick, Duplicate and Redeliver.
//   - An outdated receipt handle never deletes ("might not be deleted"), once the message has been received again.
//   - A message goes to its dead-letter queue at the receive that would exceed maxReceiveCount, which is not counted.
//     ApproximateReceiveCount continues to count there.
//
// It refuses operations, attributes and request members that it lacks: FIFO queues with their deduplication, changing,
// listing, purging and deleting queues, tags, permissions, encryption, message attributes and message move tasks.
//
// Fair queues deliver messages of quiet groups first. A group is noisy with more than 10 % and at least 30 of the
// messages in flight, or more than 10 % of the time spent on them. AWS remembers recent processing time, and keeps a
// group noisy until its backlog is gone; here only what is in flight counts.
//
// Request signatures and permissions are not checked; there is one account and one region; QueueUrl takes the host that
// the request named. With a log (Open) receives are not kept.
package sqs
