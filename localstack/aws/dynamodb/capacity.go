package dynamodb

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// Capacity units (Developer Guide, "DynamoDB capacity units"). A read unit is 4 KB and a write unit 1 KB. Both are
// rounded up, to at least one. Eventually consistent reads cost half, transactions double.
const (
	readUnitBytes  = 4096
	writeUnitBytes = 1024
	transactional  = 2
)

func readUnits(bytes int, consistent bool) float64 {
	units := float64(max(1, (bytes+readUnitBytes-1)/readUnitBytes))
	if !consistent {
		units /= 2
	}
	return units
}

func writeUnits(bytes int) float64 {
	return float64(max(1, (bytes+writeUnitBytes-1)/writeUnitBytes))
}

// bill counts the capacity that one request consumed at one table.
type bill struct {
	table *table
	base  float64
	index []float64 // by position in table.indexes
}

// chargeWrite charges factor times the cost of a write that replaces the row old by the row next.
func (b *bill) chargeWrite(old, next *row, factor float64) {
	b.base += factor * writeUnits(max(sizeOf(old), sizeOf(next)))
	for i := range b.table.indexes {
		b.chargeIndex(i, factor*indexUnits(entryOf(old, i), entryOf(next, i)))
	}
}

func (b *bill) chargeIndex(i int, units float64) {
	if units == 0 {
		return
	}
	if b.index == nil {
		b.index = make([]float64, len(b.table.indexes))
	}
	b.index[i] += units
}

func (b *bill) total() float64 {
	sum := b.base
	for _, units := range b.index {
		sum += units
	}
	return sum
}

type bills []*bill

func (bs *bills) findOrAdd(t *table) *bill {
	for _, b := range *bs {
		if b.table == t {
			return b
		}
	}
	b := &bill{table: t}
	*bs = append(*bs, b)
	slices.SortFunc(*bs, func(a, b *bill) int { return compareNames(a.table, b.table) })
	return b
}

type capacityLevel string

func (l *capacityLevel) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if err := json.UnmarshalDecode(d, (*string)(l)); err != nil {
		return err
	}
	switch *l {
	case "", "NONE", "TOTAL", "INDEXES":
		return nil
	}
	return enumError("returnConsumedCapacity", string(*l), "[INDEXES, TOTAL, NONE]")
}

// finish closes the JSON of an answer. It first adds the consumed capacity if the request asked for it.
func finish(answer []byte, level capacityLevel, consumed interface {
	append(dst []byte, level capacityLevel) []byte
}) []byte {
	if level == "TOTAL" || level == "INDEXES" {
		if answer[len(answer)-1] != '{' {
			answer = append(answer, ',')
		}
		answer = consumed.append(append(answer, `"ConsumedCapacity":`...), level)
	}
	return append(answer, '}')
}

// append appends the bill as ConsumedCapacity.
func (b *bill) append(dst []byte, level capacityLevel) []byte {
	dst = append(dst, `{"TableName":`...)
	dst = attr.AppendString(dst, b.table.name)
	dst = appendUnits(append(dst, ','), b.total())
	if level == "INDEXES" {
		dst = append(dst, `,"Table":{`...)
		dst = append(appendUnits(dst, b.base), '}')
		dst = b.appendIndexes(dst)
	}
	return append(dst, '}')
}

func (b *bill) appendIndexes(dst []byte) []byte {
	separator := `,"GlobalSecondaryIndexes":{`
	for i, units := range b.index {
		if units == 0 {
			continue
		}
		dst = append(dst, separator...)
		dst = attr.AppendString(dst, b.table.indexes[i].name)
		dst = append(appendUnits(append(dst, `:{`...), units), '}')
		separator = ","
	}
	if separator == "," {
		dst = append(dst, '}')
	}
	return dst
}

func appendUnits(dst []byte, units float64) []byte {
	return strconv.AppendFloat(append(dst, `"CapacityUnits":`...), units, 'f', 1, 64)
}

func (bs bills) append(dst []byte, level capacityLevel) []byte {
	return attr.AppendList(dst, bs, func(dst []byte, b *bill) []byte { return b.append(dst, level) })
}
