package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// formats are those that the validator does not have, or has too loosely.
var formats = []*jsonschema.Format{}
