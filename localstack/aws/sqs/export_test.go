package sqs

import "slices"

// Multiply inserts n copies of a queue's last message before that message.
func (e *Engine) Multiply(queue string, n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.queues[queue]
	last := q.Messages[len(q.Messages)-1]
	copies := make([]*message, n)
	for i := range copies {
		c := *last
		copies[i] = &c
	}
	q.Messages = slices.Insert(q.Messages, len(q.Messages)-1, copies...)
}
