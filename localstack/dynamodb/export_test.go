package dynamodb

// CompactEvery has the log compacted when its journals have that many bytes.
func (e *Engine) CompactEvery(bytes int64) { e.leastJournal = bytes }

// Compacted waits until no compaction is under way.
func (e *Engine) Compacted() { e.compacting.Wait() }
