import { createApp, h, reactive } from "vue"
import { createVuetify } from "vuetify"
import { VApp, VSelect, VSwitch, VRating, VTextField, VExpansionPanels, VExpansionPanel } from "vuetify/components"
import "vuetify/styles"
const s = reactive({ size: null, mail: false, stars: 0, name: "", open: [] })
const model = (k) => ({ modelValue: s[k], "onUpdate:modelValue": (v) => (s[k] = v) })
createApp({ render: () => h(VApp, () => [h(VSelect, { ...model("size"), label: "Size", items: ["Small", "Large"] }), h(VSwitch, { ...model("mail"), label: "Mail me" }), h(VRating, { ...model("stars"), itemAriaLabel: "Star {0} of {1}" }), h(VTextField, { ...model("name"), label: "Name" }),
  h(VExpansionPanels, { ...model("open"), multiple: true }, () => h(VExpansionPanel, { title: "Delivery", text: "Two days", value: "delivery" }))]) }).use(createVuetify()).mount(app)
window.state = () => JSON.parse(JSON.stringify(s))
