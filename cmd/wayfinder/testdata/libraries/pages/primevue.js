import { createApp, h, reactive } from "vue"
import PrimeVue from "primevue/config"
import Select from "primevue/select"
import MultiSelect from "primevue/multiselect"
import Rating from "primevue/rating"
import ToggleSwitch from "primevue/toggleswitch"
import Tree from "primevue/tree"
import InputNumber from "primevue/inputnumber"
const s = reactive({ city: null, fruits: null, stars: null, mail: false, expanded: {}, amount: 3 })
const model = (k) => ({ modelValue: s[k], "onUpdate:modelValue": (v) => (s[k] = v) })
createApp({ render: () => [
  h(Select, { ...model("city"), options: ["Rome", "Oslo"], placeholder: "City", "aria-label": "City" }),
  h(MultiSelect, { ...model("fruits"), options: ["Apple", "Banana"], placeholder: "Fruits", "aria-label": "Fruits" }),
  h(Rating, model("stars")), h(ToggleSwitch, { ...model("mail"), "aria-label": "Mail me" }), h(InputNumber, { ...model("amount"), "aria-label": "Amount" }),
  h(Tree, { value: [{ key: "d", label: "Deciduous", children: [{ key: "o", label: "Oak" }] }], expandedKeys: s.expanded, "onUpdate:expandedKeys": (v) => (s.expanded = v) }),
] }).use(PrimeVue, { unstyled: false }).mount(app)
window.state = () => JSON.parse(JSON.stringify(s))
