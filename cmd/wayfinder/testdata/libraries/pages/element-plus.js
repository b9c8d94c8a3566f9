import { createApp, h, reactive } from "vue"
import { ElCheckbox, ElInputNumber, ElOption, ElSelect, ElSwitch, ElTabPane, ElTabs } from "element-plus"
import "element-plus/dist/index.css"
const s = reactive({ size: "", agree: false, amount: 3, tab: "orders", mail: false })
const model = (k) => ({ modelValue: s[k], "onUpdate:modelValue": (v) => (s[k] = v) })
createApp({ render: () => [
  h(ElSelect, { ...model("size"), ariaLabel: "Size", style: "width:200px" }, () => ["Small", "Large"].map((v) => h(ElOption, { value: v, label: v, key: v }))),
  h(ElCheckbox, { ...model("agree"), label: "I agree" }), h(ElSwitch, { ...model("mail"), ariaLabel: "Mail me" }), h(ElInputNumber, { ...model("amount"), ariaLabel: "Amount" }),
  h(ElTabs, model("tab"), () => [h(ElTabPane, { name: "orders", label: "Orders" }), h(ElTabPane, { name: "returns", label: "Returns" })]),
] }).mount(app)
window.state = () => JSON.parse(JSON.stringify(s))
