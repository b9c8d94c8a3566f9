import Swiper from "swiper"
import { Navigation, A11y } from "swiper/modules"
import "swiper/css"
import "swiper/css/navigation"
app.innerHTML = `<div class=swiper style="width:300px;height:100px"><div class=swiper-wrapper>${[1, 2, 3].map((n) => `<div class=swiper-slide>Picture ${n}</div>`).join("")}</div><div class=swiper-button-prev></div><div class=swiper-button-next></div></div>`
const s = new Swiper(".swiper", { modules: [Navigation, A11y], speed: 0, navigation: { nextEl: ".swiper-button-next", prevEl: ".swiper-button-prev" } })
window.state = () => ({ slide: s.activeIndex })
