package dynamodb

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// definition is a CreateTable request. The log keeps it as JSON.
type definition struct {
	TableName                 string
	AttributeDefinitions      []attributeDefinition
	KeySchema                 []keySchemaElement
	BillingMode               string
	ProvisionedThroughput     provisionedThroughput
	DeletionProtectionEnabled bool
	StreamSpecification       streamSpecification
	GlobalSecondaryIndexes    []globalSecondaryIndex
}

func (p *definition) isOnDemand() bool { return p.BillingMode == "PAY_PER_REQUEST" }

type (
	attributeDefinition   struct{ AttributeName, AttributeType string }
	keySchemaElement      struct{ AttributeName, KeyType string }
	provisionedThroughput struct{ ReadCapacityUnits, WriteCapacityUnits int }
	streamSpecification   struct {
		StreamEnabled  bool
		StreamViewType string // "" when there is no stream
	}
	globalSecondaryIndex struct {
		IndexName             string
		KeySchema             []keySchemaElement
		Projection            projection
		ProvisionedThroughput ignored `json:",omitzero"`
	}
	ignored    struct{} // accepted, without effect
	projection struct {
		ProjectionType   string
		NonKeyAttributes []string `json:",omitempty"`
	}
)

func (*ignored) UnmarshalJSONFrom(d *jsontext.Decoder) error { return d.SkipValue() }

var streamViews = []string{"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"}

func (s streamSpecification) check() error {
	switch {
	case s.StreamEnabled != (s.StreamViewType != ""):
		return badValue("StreamViewType and StreamEnabled do not agree")
	case s.StreamEnabled && !slices.Contains(streamViews, s.StreamViewType):
		return enumError("streamViewType", s.StreamViewType, fmt.Sprint(streamViews))
	}
	return nil
}

func (p *definition) keyAttributes() ([]keyAttribute, error) {
	defined := make([]keyAttribute, len(p.AttributeDefinitions))
	for i, d := range p.AttributeDefinitions {
		kind, ok := attr.ParseKind(d.AttributeType)
		if !ok || !kind.IsScalarKey() {
			return nil, enumError("attributeType", d.AttributeType, "[B, N, S]")
		}
		defined[i] = keyAttribute{name: d.AttributeName, kind: kind}
	}
	return defined, nil
}

// newTable checks the definition and builds an empty table from it.
func (p *definition) newTable() (*table, error) {
	defined, err := p.keyAttributes()
	if err != nil {
		return nil, err
	}
	if err = cmp.Or(p.StreamSpecification.check(), checkTableName(p.TableName)); err != nil {
		return nil, err
	}
	t := &table{definition: p, name: p.TableName}
	used := map[string]bool{}
	if t.keys, err = resolveSchema(defined, p.KeySchema, used); err != nil {
		return nil, err
	}
	for _, wanted := range p.GlobalSecondaryIndexes {
		if err := checkTableName(wanted.IndexName); err != nil {
			return nil, err
		}
		keys, err := resolveSchema(defined, wanted.KeySchema, used)
		if err != nil {
			return nil, err
		}
		ix, err := t.makeIndex(wanted, keys)
		if err != nil {
			return nil, err
		}
		if _, err := t.index(ix.name); err == nil {
			return nil, badValue("Duplicate index name: %s", ix.name)
		}
		t.indexes = append(t.indexes, ix)
	}
	for _, k := range defined {
		if !used[k.name] {
			return nil, badValue("Some AttributeDefinitions are not used. AttributeDefinitions: [%s]", k.name)
		}
	}
	return t, p.checkBilling()
}

func (p *definition) checkBilling() error {
	units := p.ProvisionedThroughput
	onDemand, provisioned := p.isOnDemand(), units.ReadCapacityUnits > 0 && units.WriteCapacityUnits > 0
	switch {
	case p.BillingMode != "" && p.BillingMode != "PROVISIONED" && !onDemand:
		return enumError("billingMode", p.BillingMode, "[PROVISIONED, PAY_PER_REQUEST]")
	case onDemand && provisioned:
		return badValue("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is " +
			"PAY_PER_REQUEST")
	case !onDemand && !provisioned:
		return badValue("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	}
	return nil
}

func resolveSchema(defined []keyAttribute, elements []keySchemaElement, used map[string]bool) (schema, error) {
	var s schema
	roles := [...]string{"HASH", "RANGE"}
	if len(elements) == 0 || len(elements) > len(roles) {
		return s, constraintError("", "keySchema", "have length between 1 and 2")
	}
	for i, e := range elements {
		if e.KeyType != roles[i] {
			return s, attr.Invalidf("Invalid KeySchema: The %s KeySchemaElement is not a %s key type",
				[...]string{"first", "second"}[i], roles[i])
		}
		at := slices.IndexFunc(defined, func(k keyAttribute) bool { return k.name == e.AttributeName })
		if at < 0 {
			return s, badValue("Some index key attributes are not defined in AttributeDefinitions. Keys: [%s]",
				e.AttributeName)
		}
		used[e.AttributeName] = true
		*[...]*keyAttribute{&s.hash, &s.sort}[i] = defined[at]
	}
	s.hash.limit, s.sort.limit = maxHashKey, maxSortKey
	if s.hash.name == s.sort.name {
		return s, attr.Invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return s, nil
}

func (t *table) makeIndex(wanted globalSecondaryIndex, keys schema) (*index, error) {
	ix := &index{definition: wanted, name: wanted.IndexName, keys: keys}
	switch kind, include := wanted.Projection.ProjectionType, wanted.Projection.NonKeyAttributes; {
	case kind != "INCLUDE" && len(include) > 0:
		return nil, badValue("ProjectionType is %s, but NonKeyAttributes is specified", kind)
	case kind == "ALL":
	case kind == "KEYS_ONLY", kind == "INCLUDE" && len(include) > 0:
		ix.kept = slices.Concat(t.keys.names(), keys.names(), include)
	case kind == "INCLUDE":
		return nil, badValue("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	default:
		return nil, badValue("Unknown ProjectionType: %s", kind)
	}
	return ix, nil
}

func (t *table) append(dst []byte, status string) []byte {
	units := t.definition.ProvisionedThroughput
	dst = fmt.Appendf(dst, `{"AttributeDefinitions":%s,"TableName":%s,"KeySchema":%s,"TableStatus":"%s",`+
		`"CreationDateTime":%d.%03d,`+
		`"ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":%d,"WriteCapacityUnits":%d},`+
		`"TableSizeBytes":%d,"ItemCount":%d,"TableArn":%s,"DeletionProtectionEnabled":%t`,
		toJSON(t.definition.AttributeDefinitions), quote(t.name), toJSON(t.definition.KeySchema), status,
		t.created.Unix(), t.created.Nanosecond()/1e6, units.ReadCapacityUnits, units.WriteCapacityUnits,
		t.rows.bytes, t.rows.count, quote(t.arn()), t.definition.DeletionProtectionEnabled)
	if t.definition.isOnDemand() {
		dst = append(dst, `,"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"}`...)
	}
	var indexes []indexDescription
	for _, ix := range t.indexes {
		indexes = append(indexes, indexDescription{ix.definition, "ACTIVE", ix.rows.bytes, ix.rows.count,
			t.arn() + "/index/" + ix.name})
	}
	if len(indexes) > 0 {
		dst = fmt.Appendf(dst, `,"GlobalSecondaryIndexes":%s`, toJSON(indexes))
	}
	if t.stream != nil {
		dst = fmt.Appendf(dst, `,"StreamSpecification":%s,"LatestStreamLabel":%s,"LatestStreamArn":%s`,
			toJSON(t.definition.StreamSpecification), quote(t.stream.label), quote(t.stream.arn()))
	}
	return append(dst, '}')
}

type indexDescription struct {
	globalSecondaryIndex
	IndexStatus               string
	IndexSizeBytes, ItemCount int
	IndexArn                  string
}

func toJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("dynamodb: an answer does not marshal: " + err.Error()) // answers hold only texts and numbers, so this is a bug
	}
	return text
}

func quote(s string) []byte { return attr.AppendString(nil, s) }
