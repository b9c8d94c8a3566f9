// Package config says in data which model is meant and how to reach it: a
// [Config], which [Parse] reads strictly from JSON.
//
//	"openai/gpt-5"
//
//	{"modelName": "qwen3", "baseURL": "http://127.0.0.1:11434/v1"}
//
// Each package of a vendor makes its model of one by NewFromConfig. Which package
// that is, [Config.Resolve] says, so that a program links only the vendors that
// it means to offer. Keys are an [llm.Secret], which shows as *** however it is
// printed.
package config
